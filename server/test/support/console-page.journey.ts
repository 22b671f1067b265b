import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import test, { type TestContext } from "node:test";
import { TargetType, type Page, type Target } from "puppeteer-core";
import { launchChromium } from "./browsers.ts";
import { ConsolePage } from "./console-page.ts";

/** A button that cannot be pressed yet, in whose place the page draws another. */
const REDRAWN = `<button disabled>Save</button><script>
  let presses = 0;
  setTimeout(() => {
    document.querySelector("button").outerHTML = '<button onclick="presses += 1">Save</button>';
  }, 500);
</script>`;

test("a button that the page draws anew is pressed once", async (t) => {
  const chromium = await launchChromium();
  t.after(() => chromium.close());
  const page = await ConsolePage.open(chromium, "about:blank");
  await page.page.setContent(REDRAWN);
  await page.press("Save");
  assert.equal(await page.page.evaluate("presses"), 1);
});

test("a worker that ends before it is listened to is no complaint", async (t) => {
  const chromium = await launchChromium();
  t.after(() => chromium.close());
  const ended = await endedWorker(await chromium.newPage(), await serveWorker(t));
  const page = await ConsolePage.open(chromium, "about:blank");
  ended.browser().emit("targetcreated", ended);
  await assert.rejects(ended.worker(), /No target with given id/);
  assert.deepEqual(page.complaints, []);
});

async function endedWorker(page: Page, address: string): Promise<Target> {
  await page.goto(address);
  const worker = await page
    .browser()
    .waitForTarget((target) => target.type() === TargetType.SERVICE_WORKER);
  const isGone = new Promise<void>((resolve) => {
    page.browser().on("targetdestroyed", (target: Target) => target === worker && resolve());
  });
  const workers = await page.createCDPSession();
  await workers.send("ServiceWorker.enable");
  await page.evaluate("navigator.serviceWorker.ready.then((one) => one.unregister())");
  await page.goto("about:blank");
  await workers.send("ServiceWorker.stopAllWorkers");
  await isGone;
  return worker;
}

/** Resolves with the address of a page that registers a worker. */
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
  // It listens on a port, not on a path.
  return `http://localhost:${(server.address() as AddressInfo).port}/`;
}
