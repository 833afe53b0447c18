// Faces and FLVER models in a real browser: what the page's own machine computes is what the program does.

import assert from "node:assert/strict";
import { test } from "node:test";
import { oneBrowser } from "./browser.mjs";
import { look } from "./looks.mjs";
import { json, numbers, report } from "./pages.mjs";

const FACE = "tests/cases/mdl_synth_flex/synth_flex.mdl";
const on = oneBrowser({ webgl: true });

// Sets sliders as a hand does, and gives what the page computed last.
const computed = (page, settings) => page.evaluate((wanted) => {
  let last = null;
  document.addEventListener("face", (event) => { last = event.detail; });
  for (const [name, value] of Object.entries(wanted)) {
    const slider = document.querySelector(`input[data-controller="${CSS.escape(name)}"]`);
    slider.value = value;
    slider.dispatchEvent(new Event("input", { bubbles: true }));
  }
  return { weights: [...last.weights], positions: [...last.positions] };
}, settings);

function farthest(have, want) {
  assert.equal(have.length, want.length);
  return Math.max(0, ...have.map((value, at) => Math.abs(value - want[at]) / Math.max(1, Math.abs(want[at]))));
}

for (const extra of [[], ["--delta", "half"], ["--sdk", "older"], ["--ramp", "shortcut"], ["--view-target", "30,10,70"], ["--count-check", "depth"]]) {
  test(`the page's machine gives what the program gives ${extra.join(" ")}`, () => on(report(FACE, ...extra), async (page) => {
    const { controllers } = json("info", FACE);
    const next = numbers(extra.length + 7);
    for (let round = 0; round < 6; round += 1) {
      const settings = {};
      for (const { name, min, max } of controllers) settings[name] = min + next() * (max - min);
      const have = await computed(page, settings);
      const sets = Object.entries(settings).flatMap(([name, value]) => ["--set", `${name}=${Math.fround(value)}`]);
      const want = json("run", FACE, ...extra, ...sets);
      assert.ok(want.weights.filter((weight) => weight !== 0).length > 3);
      // The sines of lids come from two libraries: a unit in the last place.
      assert.ok(farthest(have.weights, want.weights) <= 1.2e-7, `weights by ${farthest(have.weights, want.weights)}`);
      assert.ok(farthest(have.positions, want.positions.flat()) <= 1.2e-7, `positions by ${farthest(have.positions, want.positions.flat())}`);
    }
  }));
}

test("a slider moves the face, and the controls are grouped", () => on(report(FACE), async (page) => {
  assert.ok((await page.locator(".groups fieldset").count()) > 0);
  const neutral = await look(page);
  const slider = page.locator(".groups input[type=range]").first();
  await slider.focus();
  for (let press = 0; press < 12; press += 1) await page.keyboard.press("ArrowRight");
  assert.ok((await page.locator(".weights meter").count()) > 0);
  assert.notEqual((await look(page)).digest, neutral.digest);
  await page.getByRole("button", { name: "All at their minimum" }).click();
  assert.equal((await look(page)).digest, neutral.digest);
}));

test("a model without flexes says so and is shown", () => on(report("tests/cases/mdl_no_flexes/animated_monkey.mdl"), async (page) => {
  assert.match(await page.locator(".facts").innerText(), /no flexes/);
  const { drawn, width, height } = await look(page);
  assert.ok(drawn > 0.02 * width * height);
  assert.equal(await page.locator(".groups").count(), 0);
}));

test("a FLVER has its meshes, nodes and findings, and no line map", () => on(report("tests/cases/flver-random-20014/model.flver"), async (page) => {
  assert.equal(await page.locator(".lines").count(), 0);
  assert.ok((await look(page)).drawn > 0);
  assert.deepEqual((await page.locator("[role=tab]").allInnerTexts()).slice(0, 3), ["Nodes", "Meshes", "Dummy points"]);
  await page.locator(".colour-mode").selectOption("bone");
  assert.ok((await page.locator(".viewer .legend li").count()) > 0);
}));

test("controllers that were given are shown from the start", () => on(report(FACE, "--set", "smile=1"), async (page) => {
  const slider = page.locator("input[data-controller=smile]").first();
  assert.equal(await slider.inputValue(), "1");
  const given = (await look(page)).digest;
  await page.getByRole("button", { name: "All at their minimum" }).click();
  assert.notEqual((await look(page)).digest, given);
  await page.getByRole("button", { name: "As given" }).click();
  assert.equal((await look(page)).digest, given);
}));
