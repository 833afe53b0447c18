// Report pages of the samples, made by the program.

import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, parse } from "node:path";
import { fileURLToPath } from "node:url";
import { tube } from "./tube.mjs";

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

// A block of a tube with so many vertices.
export function tubeBlock(vertices) {
  const [glb, block] = ["glb", "block"].map((ending) => join(folder, `tube.${ending}`));
  tube(glb, vertices);
  const run = spawnSync(program, ["build", glb, "-o", block], { cwd: root, encoding: "utf8" });
  if (run.error || run.status > 1) throw new Error(`skinsim build: ${run.error ?? run.stderr}`);
  return block;
}

// What a command tells as JSON.
export function json(command, ...args) {
  const run = spawnSync(program, [command, ...args, "--json"], { cwd: root, encoding: "utf8", maxBuffer: 1 << 28 });
  if (run.error || run.status > 1) throw new Error(`skinsim ${command} ${args.join(" ")}: ${run.error ?? run.stderr}`);
  return JSON.parse(run.stdout);
}

// Sample models whose names end like one of these; all of them without any.
export function models(...endings) {
  const known = /\.(block|gpl|flver|mdl)$/;
  return ["examples", "tests/cases"]
    .flatMap((below) => readdirSync(join(root, below), { recursive: true }).map((file) => join(below, file)))
    .filter((file) => known.test(file) && (endings.length === 0 || endings.some((ending) => file.endsWith(ending))))
    .sort();
}

// A repeatable row of numbers from 0 to 1.
export function numbers(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 4294967296;
  };
}

// Copies of a model, each with some bytes that are others; files beside it go along.
export function damaged(model, copies) {
  const next = numbers(model.length);
  return Array.from({ length: copies }, (_, copy) => {
    const to = join(folder, `damaged${(count += 1)}`);
    mkdirSync(to);
    const { dir, name, base } = parse(join(root, model));
    for (const file of readdirSync(dir).filter((file) => file.startsWith(`${name}.`))) copyFileSync(join(dir, file), join(to, file));
    const bytes = readFileSync(join(to, base));
    for (let at = 0; at <= copy; at += 1) bytes[Math.floor(next() * bytes.length)] = Math.floor(next() * 256);
    writeFileSync(join(to, base), bytes);
    return join(to, base);
  });
}

// The .glb files that an export of models writes; models that cannot be exported are left out.
export function exported(files, ...options) {
  const out = join(folder, `meshes${(count += 1)}`);
  const run = spawnSync(program, ["export", ...files, ...options, "--dir", out, "--json"], { cwd: root, encoding: "utf8", maxBuffer: 1 << 28 });
  if (run.error || !run.stdout) throw new Error(`skinsim export ${options.join(" ")}: ${run.error ?? run.stderr}`);
  return JSON.parse(run.stdout).files.map(({ output }) => output);
}
