import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import test, { type TestContext } from "node:test";
import { TargetType, type Page, type Target } from "puppeteer-core";
import { launchChromium } from "./browsers.ts";
import { ConsolePage } from "./console-page.ts";

/** A page that replaces a disabled button with an enabled one after 500 ms. */
const REPLACED_BUTTON = `<button disabled>Save</button><script>
  let presses = 0;
  setTimeout(() => {
    document.querySelector("button").outerHTML = '<button onclick="presses += 1">Save</button>';
  }, 500);
</script>`;

test("a button that the page replaces is pressed once", async (t) => {
  const chromium = await launchChromium();
  t.after(() => chromium.close());
  const page = await ConsolePage.open(chromium, "about:blank");
  await page.tab.setContent(REPLACED_BUTTON);
  await page.press("Save");
  assert.equal(await page.tab.evaluate("presses"), 1);
});

test("a worker that ends before the page listens to it is not an error", async (t) => {
  const chromium = await launchChromium();
  t.after(() => chromium.close());
  const endedTarget = await endWorker(await chromium.newPage(), await serveWorker(t));
  const page = await ConsolePage.open(chromium, "about:blank");
  endedTarget.browser().emit("targetcreated", endedTarget);
  await assert.rejects(endedTarget.worker(), /No target with given id/);
  assert.deepEqual(page.consoleErrors, []);
});

/** Opens the URL in the page, and ends the service worker that it registers. Resolves with the worker's target. */
async function endWorker(page: Page, url: string): Promise<Target> {
  await page.goto(url);
  const worker = await page
    .browser()
    .waitForTarget((target) => target.type() === TargetType.SERVICE_WORKER);
  const destroyed = new Promise<void>((resolve) => {
    page.browser().on("targetdestroyed", (target: Target) => target === worker && resolve());
  });
  const session = await page.createCDPSession();
  await session.send("ServiceWorker.enable");
  await page.evaluate(
    "navigator.serviceWorker.ready.then((registration) => registration.unregister())",
  );
  await page.goto("about:blank");
  await session.send("ServiceWorker.stopAllWorkers");
  await destroyed;
  return worker;
}

/** Serves a page that registers a worker. Resolves with its URL. */
async function serveWorker(t: TestContext): Promise<string> {
  const server = createServer((request, response) => {
    const isPage = request.url === "/";
    response.setHeader("content-type", isPage ? "text/html" : "text/javascript");
    response.end(
      isPage
        ? '<link rel="icon" href="data:,"><script>navigator.serviceWorker.register("worker.js")</script>'
        : "",
    );
  }).listen(0, "localhost");
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  await once(server, "listening");
  // The server listens on a port, not on a pipe.
  return `http://localhost:${(server.address() as AddressInfo).port}/`;
}
