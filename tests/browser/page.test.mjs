// The report page in a real browser, with WebGL.

import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { test } from "node:test";
import { oneBrowser } from "./browser.mjs";
import { look, spot } from "./looks.mjs";
import { hostile, report, tubeBlock } from "./pages.mjs";

const [fox, broken] = [report("examples/fox.block"), report("examples/broken/shared-line.block")];
const on = oneBrowser({ webgl: true });

const selectedLines = (page) => page.locator(".line[aria-selected=true]").count();
const marked = (page) => page.locator(".canvas-box").getAttribute("data-marked").then(Number);

test("the page loads and draws the mesh", () => on(fox, async (page) => {
  assert.equal(await page.locator("canvas").getAttribute("data-renderer"), "webgl");
  const { drawn, width, height } = await look(page);
  assert.ok(drawn > 0.02 * width * height, `${drawn} of ${width * height} pixels`);
  assert.equal(await page.locator(".verdict").count(), 2);
}));

test("a line shows its vertices", () => on(fox, async (page) => {
  assert.equal((await look(page)).marked, 0);
  await page.locator(".line[data-line='20']").click();
  assert.ok((await marked(page)) >= 3);
  assert.ok((await look(page)).marked > 0);
  assert.match(await page.locator(".line-detail").innerText(), /SK1\[2\] bone 4, slots 53–55/);
}));

test("a vertex shows its line", () => on(fox, async (page) => {
  await look(page);
  const { x, y } = await spot(page);
  await page.mouse.click(x, y);
  assert.equal(await marked(page), 1);
  assert.ok((await selectedLines(page)) >= 1);
  const slot = Number((await page.locator(".status").innerText()).match(/slot (\d+)/)[1]);
  const lines = await page.locator(".line[aria-selected=true]").evaluateAll((cells) => cells.map((cell) => Number(cell.dataset.line)));
  assert.equal(lines[0], Math.floor((slot * 12) / 32));
}));

test("findings are filtered by severity, code and words", () => on(broken, async (page) => {
  const shown = () => page.locator(".finding").count();
  const all = await shown();
  await page.locator("input[name=warning]").uncheck();
  assert.equal(await page.locator(".finding[data-severity=warning]").count(), 0);
  assert.ok((await shown()) > 0 && (await shown()) < all);
  await page.getByLabel("Code").selectOption("line-shared");
  assert.deepEqual(await page.locator(".finding code").allInnerTexts(), ["line-shared"]);
  assert.match(await page.locator(".finding").innerText(), /remedy/);
  await page.getByLabel("Search findings").fill("nothing has these words");
  assert.equal(await shown(), 0);
}));

test("a finding shows what it concerns", () => on(broken, async (page) => {
  await page.locator(".finding[data-code=line-shared] button").click();
  assert.ok((await marked(page)) > 0);
  assert.ok((await selectedLines(page)) > 0);
  assert.ok((await page.locator(".line.conflict").count()) > 0);
}));

test("the slider moves the vertices", () => on(fox, async (page) => {
  const rest = await look(page);
  const slider = page.locator("input[type=range]");
  await slider.focus();
  await page.keyboard.press("ArrowRight");
  const posed = await look(page);
  assert.notEqual(posed.digest, rest.digest);
  assert.equal(await page.getByRole("button", { name: "Posed" }).getAttribute("aria-pressed"), "true");
  await page.getByRole("button", { name: "Rest", exact: true }).click();
  assert.equal((await look(page)).digest, rest.digest);
}));

test("every colouring draws another picture", () => on(broken, async (page) => {
  const select = page.locator(".colour-mode");
  const modes = await select.locator("option").evaluateAll((options) => options.map((option) => option.value));
  assert.deepEqual(modes, ["entry", "bone", "weight", "error", "finding", "plain"]);
  const digests = new Set();
  for (const mode of modes) {
    await select.selectOption(mode);
    digests.add((await look(page)).digest);
    if (mode !== "plain") assert.ok((await page.locator(".viewer .legend li").count()) > 1, mode);
  }
  assert.equal(digests.size, modes.length);
}));

test("mouse and wheel move the camera", () => on(fox, async (page) => {
  const seen = [(await look(page)).digest];
  const { x, y } = await spot(page);
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 80, y + 10, { steps: 3 });
  await page.mouse.up();
  seen.push((await look(page)).digest);
  assert.equal(await page.locator(".line[aria-selected=true]").count(), 0, "a drag is no click");
  await page.mouse.wheel(0, -200);
  seen.push((await look(page)).digest);
  await page.getByRole("button", { name: "Whole view" }).click();
  seen.push((await look(page)).digest);
  assert.deepEqual(seen.map((digest) => seen.indexOf(digest)), [0, 1, 2, 0]);
}));

test("everything can be done with the keyboard", () => on(broken, async (page) => {
  const reached = new Set();
  for (let press = 0; press < 40; press += 1) {
    await page.keyboard.press("Tab");
    const { name, outline } = await page.evaluate(() => {
      const focused = document.activeElement;
      return { name: focused.className || focused.id || focused.tagName, outline: getComputedStyle(focused).outlineStyle };
    });
    reached.add(name.split(" ")[0]);
    if (name !== "BODY") assert.notEqual(outline, "none", `${name} shows no focus`);
  }
  for (const name of ["skip", "theme", "colour-mode", "CANVAS", "line", "findings-list", "table-box"]) {
    assert.ok(reached.has(name), `${name} is not reached: ${[...reached]}`);
  }
  const before = (await look(page)).digest;
  await page.locator("canvas").focus();
  await page.keyboard.press("ArrowLeft");
  assert.notEqual((await look(page)).digest, before);
  await page.locator(".line[tabindex='0']").focus();
  for (const key of ["ArrowRight", "ArrowDown", "Enter"]) await page.keyboard.press(key);
  const focused = page.locator(".line:focus");
  assert.equal(await focused.getAttribute("data-line"), "17");
  assert.equal(await focused.getAttribute("aria-selected"), "true");
  assert.match(await focused.getAttribute("aria-label"), /SK1/);
}));

test("light and dark follow the system until the reader chooses", async () => {
  const background = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const shades = {};
  for (const colorScheme of ["light", "dark"]) {
    await on(fox, async (page) => {
      shades[colorScheme] = await background(page);
      await page.locator("#theme").click();
      shades[`${colorScheme} toggled`] = await background(page);
    }, { colorScheme });
  }
  assert.notEqual(shades.light, shades.dark);
  assert.deepEqual([shades["light toggled"], shades["dark toggled"]], [shades.dark, shades.light]);
});

test("a vertex without error has the mesh's own colour, and the scale says what the others mean", () => on(broken, async (page) => {
  await page.locator(".colour-mode").selectOption("error");
  const legend = await page.locator(".viewer .legend li").allInnerTexts();
  assert.deepEqual(legend, ["0 units: as ideal", "1", "10", "100", "1,000", "10,000 and more", "no ideal known"]);
  const swatches = await page.locator(".viewer .legend .swatch").evaluateAll((all) => all.map((one) => getComputedStyle(one).backgroundColor));
  assert.equal(new Set(swatches).size, legend.length);
  const mesh = await page.evaluate(() => {
    const probe = document.body.appendChild(document.createElement("i"));
    probe.style.color = "var(--mesh)";
    return getComputedStyle(probe).color;
  });
  assert.equal(swatches[0], mesh);
}));

test("a model of 3,000 vertices has a page of less than 2 MB that is drawn and answers", () => {
  const file = report(tubeBlock(3000), "--frames", "60");
  assert.ok(statSync(file).size < 2_000_000, `${statSync(file).size} bytes`);
  return on(file, async (page) => {
    const rest = await look(page);
    assert.ok(rest.drawn > 0.02 * rest.width * rest.height);
    await page.locator(".line").nth(500).click();
    assert.ok((await marked(page)) > 0);
    assert.ok((await look(page)).marked > 0);
    await page.getByRole("button", { name: "Posed" }).click();
    assert.notEqual((await look(page)).digest, rest.digest);
    const { x, y } = await spot(page);
    await page.mouse.click(x, y);
    assert.match(await page.locator(".status").innerText(), /slot \d+/);
  });
});

test("two models stand side by side and turn together", () => on(report("examples/broken/one-vertex.block", "examples/fox.block"), async (page) => {
  const boxes = await page.locator(".model").evaluateAll((models) => models.map((model) => model.getBoundingClientRect().toJSON()));
  assert.equal(boxes.length, 2);
  assert.equal(boxes[0].top, boxes[1].top);
  assert.ok(boxes[1].left >= boxes[0].right);
  const before = [(await look(page, 0)).digest, (await look(page, 1)).digest];
  await page.locator("canvas").first().focus();
  await page.keyboard.press("ArrowLeft");
  const now = [(await look(page, 0)).digest, (await look(page, 1)).digest];
  assert.ok(before[0] !== now[0] && before[1] !== now[1]);
  assert.match(await page.locator(".verdict[data-outcome=crashes]").first().innerText(), /Invalid read from 0xe0040000/);
}));

test("a narrow screen needs no scrolling to the side", () => on(fox, async (page) => {
  const { scroll, width } = await page.evaluate(() => ({ scroll: document.documentElement.scrollWidth, width: window.innerWidth }));
  assert.ok(scroll <= width, `${scroll} of ${width}`);
}, { viewport: { width: 360, height: 780 } }));

test("a hostile name stays a name", () => on(report(hostile()), async (page) => {
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  assert.match(await page.locator("h2").innerText(), /<script>window\.hacked=1<\/script><img src=x/);
  assert.equal(await page.locator("img").count(), 0);
}));
