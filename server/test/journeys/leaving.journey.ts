import test from "node:test";
import { setUp, startStage } from "../support/console-stage.ts";
import { PUSH_BROWSERS } from "../support/push-browsers.ts";

for (const [browserName, startBrowsers] of Object.entries(PUSH_BROWSERS)) {
  test(`${browserName} can leave a page whose script chunks are still loading`, async (t) => {
    const browsers = await startBrowsers(t);
    const stage = await startStage(t, browsers);
    const { page } = (await setUp(stage, browsers)).page;
    await page.evaluate(FAIL_CHUNK);
    await page.goto(`${stage.url}/devices`);
    await page.waitForFunction("location.pathname === '/devices'");
    await page.waitForSelector('[data-capability="off"]');
  });
}

/** Dispatches the error that a browser reports for a chunk still loading when it leaves the page. */
const FAIL_CHUNK = `void addEventListener("beforeunload", () =>
  setTimeout(() => dispatchEvent(new Event("vite:preloadError", { cancelable: true }))))`;
