import test from "node:test";
import { setUp, startStage } from "../support/console-stage.ts";
import { PUSH_BROWSERS } from "../support/push-browsers.ts";

for (const [make, startBrowsers] of Object.entries(PUSH_BROWSERS)) {
  test(`${make} leaves a page that is still loading a part of itself`, async (t) => {
    const browsers = await startBrowsers(t);
    const stage = await startStage(t, browsers);
    const { page } = (await setUp(stage, browsers)).page;
    await page.evaluate(STOP_A_PART);
    await page.goto(`${stage.url}/devices`);
    await page.waitForFunction("location.pathname === '/devices'");
    await page.waitForSelector('[data-capability="off"]');
  });
}

/** The error that a browser reports for a part still loading when it leaves the page. */
const STOP_A_PART = `void addEventListener("beforeunload", () =>
  setTimeout(() => dispatchEvent(new Event("vite:preloadError", { cancelable: true }))))`;
