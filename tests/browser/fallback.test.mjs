// The report page in a real browser that has no WebGL.

import assert from "node:assert/strict";
import { test } from "node:test";
import { oneBrowser } from "./browser.mjs";
import { look, spot } from "./looks.mjs";
import { report } from "./pages.mjs";

const fox = report("examples/fox.block");
const on = oneBrowser({ webgl: false });

test("without WebGL the mesh is drawn all the same", () => on(fox, async (page) => {
  assert.equal(await page.locator("canvas").getAttribute("data-renderer"), "canvas");
  const { drawn, width, height } = await look(page);
  assert.ok(drawn > 0.02 * width * height, `${drawn} of ${width * height} pixels`);
}));

test("lines show vertices and vertices lines", () => on(fox, async (page) => {
  await page.locator(".line[data-line='20']").click();
  assert.ok((await look(page)).marked > 0);
  const { x, y } = await spot(page);
  await page.mouse.click(x, y);
  assert.match(await page.locator(".status").innerText(), /slot \d+/);
  assert.ok((await page.locator(".line[aria-selected=true]").count()) > 0);
}));

test("wires and points are other pictures", () => on(fox, async (page) => {
  const style = page.locator(".viewer select").last();
  const digests = new Set();
  for (const name of ["surface", "wires", "points"]) {
    await style.selectOption(name);
    digests.add((await look(page)).digest);
  }
  assert.equal(digests.size, 3);
}));

test("frames, keys and themes work there, too", () => on(fox, async (page) => {
  const rest = (await look(page)).digest;
  await page.getByRole("button", { name: "Posed" }).click();
  assert.notEqual((await look(page)).digest, rest);
  await page.getByRole("button", { name: "Rest", exact: true }).click();
  await page.locator("canvas").focus();
  await page.keyboard.press("ArrowLeft");
  const turned = (await look(page)).digest;
  assert.notEqual(turned, rest);
  await page.keyboard.press("Home");
  await page.locator("#theme").click();
  assert.ok((await look(page)).drawn > 0);
}));
