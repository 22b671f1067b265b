import test from "node:test";
import { setUpServer, startConsoleFixture } from "../support/console-fixture.ts";
import { PUSH_BROWSERS } from "../support/push-browsers.ts";

for (const [browserName, startBrowsers] of Object.entries(PUSH_BROWSERS)) {
  test(`${browserName} can leave a page whose script chunks are still loading`, async (t) => {
    const browsers = await startBrowsers(t);
    const fixture = await startConsoleFixture(t, browsers);
    const { tab } = (await setUpServer(fixture, browsers)).page;
    await tab.evaluate(FAIL_CHUNK);
    await tab.goto(`${fixture.url}/devices`);
    await tab.waitForFunction("location.pathname === '/devices'");
    await tab.waitForSelector('[data-notification-state="off"]');
  });
}

/** Dispatches the error that a browser reports for a chunk still loading when it leaves the page. */
const FAIL_CHUNK = `void addEventListener("beforeunload", () =>
  setTimeout(() => dispatchEvent(new Event("vite:preloadError", { cancelable: true }))))`;
