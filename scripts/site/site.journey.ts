import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import test, { type TestContext } from "node:test";
import { launchChromium } from "../../server/test/support/browsers.ts";
import {
  inspectPage,
  resizePage,
  JOURNEY_SIZES,
} from "../../server/test/support/console-inspection.ts";
import { ConsolePage } from "../../server/test/support/console-page.ts";
import { run } from "../child.mjs";
import { ROOT } from "../files.ts";

const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css",
  ".html": "text/html",
  ".js": "text/javascript",
  ".svg": "image/svg+xml",
};

/** One page of each kind. */
const CHECKED_PAGES = ["", "start", "api", "iphone", "promises", "configuration"];

test("the site fits every size and scheme, searches, builds a curl command, and loads nothing from other hosts", async (t) => {
  const url = await serveFolder(t, await buildSite(t));
  const browser = await launchChromium();
  t.after(() => browser.close());
  const page = await ConsolePage.open(browser, `${url}/`);
  for (const path of CHECKED_PAGES) {
    await page.tab.goto(path === "" ? `${url}/` : `${url}/${path}.html`);
    for (const size of JOURNEY_SIZES) {
      await resizePage(page, size);
      assert.deepEqual(await inspectPage(page, { name: `site-${path}`, size }), []);
      assert.equal(await page.tab.evaluate(PAGE_OVERFLOWS), false, `${path} on a ${size.name}`);
    }
  }

  await page.tab.setViewport({ width: 390, height: 844 });
  await page.tab.goto(`${url}/configuration.html`);
  await page.waitFor("main table");
  assert.deepEqual(await page.tab.evaluate(CUT_TABLES), [], "Tables of settings cut on a phone");

  await page.tab.setViewport({ width: 1280, height: 800 });
  await page.tab.goto(`${url}/start.html`);
  await page.tab.locator(".VPNavBarSearch button").click();
  await page.tab.locator("#localsearch-input").fill("idempotency");
  await page.tab.locator(".results a[href*='/api.html#repeat-a-call-safely']").click();
  await page.waitFor("::-p-text(you can safely repeat a call)");

  await page.tab.locator(".curl-builder label:nth-of-type(2) input").fill("a'b");
  assert.match(await page.waitFor(".curl-builder pre"), /-H 'x-api-key: a'\\''b'/);
  // Icons are data: URLs in the style sheet.
  const unexpectedErrors = page.consoleErrors.filter(
    (error) => !error.startsWith("a request to data:"),
  );
  assert.deepEqual(unexpectedErrors, []);
});

const PAGE_OVERFLOWS =
  "document.documentElement.scrollWidth > document.documentElement.clientWidth";

/** Phones show no scroll bar before the user scrolls, so columns beyond the edge look missing. */
const CUT_TABLES = `[...document.querySelectorAll("main table")]
  .filter((table) => table.scrollWidth > table.clientWidth)
  .map((table) => table.innerText.slice(0, 40))`;

async function buildSite(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "tocsin-site-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const { code, output } = await run(process.execPath, ["scripts/docs.ts", `--out=${folder}`], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "pipe"],
  });
  assert.equal(code, 0, output);
  return folder;
}

/** Serves files as any static host does. */
async function serveFolder(t: TestContext, folder: string): Promise<string> {
  const server = createServer(({ url = "/" }, response) => {
    const { pathname } = new URL(url, "http://localhost");
    void sendFile(
      response,
      join(folder, pathname.endsWith("/") ? `${pathname}index.html` : pathname),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.closeAllConnections());
  t.after(() => server.close());
  // The server listens on a port, so the address is not a string.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function sendFile(response: ServerResponse, path: string): Promise<void> {
  const file = await readFile(path).catch(() => null);
  if (file === null) response.statusCode = 404;
  response.setHeader("content-type", TYPES[extname(path)] ?? "application/octet-stream");
  response.end(file);
}
