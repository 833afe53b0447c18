// Report pages of the samples, made by the program.

import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const program = process.env.SKINSIM ?? join(root, "target", "debug", "skinsim");
const folder = mkdtempSync(join(tmpdir(), "skinsim-pages-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

let count = 0;

// A page of models, with more arguments; every exit but "could not" is fine.
export function report(...args) {
  const out = join(folder, `page${(count += 1)}.html`);
  const run = spawnSync(program, ["report", ...args, "-o", out], { cwd: root, encoding: "utf8" });
  if (run.error || run.status > 1) throw new Error(`skinsim report ${args.join(" ")}: ${run.error ?? run.stderr}`);
  return out;
}

// A copy of the fox under a path that tries to get out of where the page puts it.
export function hostile() {
  const path = join(folder, "a</script><script>window.hacked=1</script><img src=x onerror='window.hacked=2'>{{data}}.block");
  mkdirSync(dirname(path), { recursive: true });
  copyFileSync(join(root, "examples", "fox.block"), path);
  return path;
}

// What a command tells as JSON.
export function json(command, ...args) {
  const run = spawnSync(program, [command, ...args, "--json"], { cwd: root, encoding: "utf8", maxBuffer: 1 << 28 });
  if (run.error || run.status > 1) throw new Error(`skinsim ${command} ${args.join(" ")}: ${run.error ?? run.stderr}`);
  return JSON.parse(run.stdout);
}
