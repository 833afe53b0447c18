// Chromium, headless and without a network; with WebGL in software, or with none at all.

import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { chromium } from "playwright-core";

const CANDIDATES = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const QUIET = [
  "--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update",
  "--disable-sync", "--disable-dev-shm-usage", "--hide-scrollbars",
];
const WEBGL = ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"];
const NO_WEBGL = ["--disable-gpu", "--disable-3d-apis"];

export async function launch({ webgl }) {
  const executablePath = CANDIDATES.find((path) => path && existsSync(path));
  if (!executablePath) throw new Error("no Chromium: set CHROMIUM to its path");
  const profile = mkdtempSync(join(tmpdir(), "skinsim-browser-"));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath, headless: true, args: [...QUIET, ...(webgl ? WEBGL : NO_WEBGL)], viewport: { width: 1280, height: 900 },
  });
  // A loaded machine draws slowly; no test asserts a time.
  context.setDefaultTimeout(120_000);
  const close = async () => {
    await context.close();
    rmSync(profile, { recursive: true, force: true });
  };
  return { context, close };
}

// A page whose errors, warnings and requests are kept.
export async function open(context, file, options = {}) {
  const page = await context.newPage();
  const complaints = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type()) && !message.text().includes("GPU stall")) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (request) => { if (!request.url().startsWith("file:")) complaints.push(`request: ${request.url()}`); });
  if (options.colorScheme) await page.emulateMedia({ colorScheme: options.colorScheme });
  if (options.viewport) await page.setViewportSize(options.viewport);
  await page.goto(`file://${file}`);
  await page.waitForSelector(".model");
  return { page, complaints };
}

// One browser for the tests of a file. Gives what opens a page in it, hands it to the test, and wants no
// complaint of the browser afterwards.
export function oneBrowser(options) {
  let browser;
  before(async () => { browser = await launch(options); });
  after(() => browser?.close());
  return async (file, check, look) => {
    const { page, complaints } = await open(browser.context, file, look);
    try {
      await check(page);
      assert.deepEqual(complaints, []);
    } finally {
      await page.close();
    }
  };
}
