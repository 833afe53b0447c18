// The report page in a real browser that has no WebGL.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, open } from "./browser.mjs";
import { look, spot } from "./looks.mjs";
import { report } from "./pages.mjs";

let browser, page, complaints;

before(async () => {
  browser = await launch({ webgl: false });
  ({ page, complaints } = await open(browser.context, report("examples/fox.block")));
});
after(() => browser?.close());

test("without WebGL the mesh is drawn all the same", async () => {
  assert.equal(await page.locator("canvas").getAttribute("data-renderer"), "canvas");
  const { drawn, width, height } = await look(page);
  assert.ok(drawn > 0.02 * width * height, `${drawn} of ${width * height} pixels`);
});

test("lines show vertices and vertices lines", async () => {
  await page.locator(".line[data-line='20']").click();
  assert.ok((await look(page)).marked > 0);
  const { x, y } = await spot(page);
  await page.mouse.click(x, y);
  assert.match(await page.locator(".status").innerText(), /slot \d+/);
  assert.ok((await page.locator(".line[aria-selected=true]").count()) > 0);
});

test("wires and points are other pictures", async () => {
  const style = page.locator(".viewer select").last();
  const digests = new Set();
  for (const name of ["surface", "wires", "points"]) {
    await style.selectOption(name);
    digests.add((await look(page)).digest);
  }
  assert.equal(digests.size, 3);
  assert.deepEqual(complaints, []);
});
