// Makes the picture of the README: node screenshot.mjs

import { statSync } from "node:fs";
import { join } from "node:path";
import { launch, open } from "./browser.mjs";
import { report, root } from "./pages.mjs";

const picture = join(root, "docs", "images", "report.png");
const browser = await launch({ webgl: true });
const { page } = await open(browser.context, report("examples/broken/shared-line.block"), { viewport: { width: 1180, height: 800 } });
await page.getByRole("button", { name: "Posed" }).click();
await page.locator(".finding[data-code=line-shared] button").click();
await page.locator(".colour-mode").selectOption("error");
await page.evaluate(() => document.activeElement.blur());
await page.evaluate(() => window.scrollTo(0, 0));
await page.waitForTimeout(400);
await page.screenshot({ path: picture });
console.log(`${picture}: ${statSync(picture).size} bytes`);
await browser.close();
