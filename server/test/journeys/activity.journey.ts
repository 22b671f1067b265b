import assert from "node:assert/strict";
import test from "node:test";
import {
  sendNotifications,
  setUpServer,
  startConsoleFixture,
  turnOnNotifications,
} from "../support/console-fixture.ts";
import { PUSH_BROWSERS } from "../support/push-browsers.ts";

for (const [browserName, startBrowsers] of Object.entries(PUSH_BROWSERS)) {
  test(`${browserName} shows times and counts in British English, and links failures to the log`, async (t) => {
    const browsers = await startBrowsers(t);
    const fixture = await startConsoleFixture(t, browsers);
    const ann = await setUpServer(fixture, browsers);
    const { page } = ann;
    await page.tab.evaluateOnNewDocument(SET_BRITISH_ENGLISH);
    await page.tab.reload();
    await turnOnNotifications(ann);
    await sendNotifications(fixture, ann, [{ title: "Backup finished", body: "" }]);
    await page.unsubscribe();
    await browsers.waitForUnsubscribed(1);
    const id = await sendNotifications(fixture, ann, [{ title: "Disk full", body: "" }]);
    await page.waitFor(`article[data-notification="${id}"]`);
    const shownTime: unknown = await page.tab.evaluate(
      `document.querySelector("article time").title`,
    );
    const formatter = new Intl.DateTimeFormat("en-GB", { dateStyle: "full", timeStyle: "medium" });
    const [item] = (await ann.client.feed.list()).items;
    assert.equal(shownTime, formatter.format(new Date(item?.createdAt ?? "")));

    await page.tab.goto(`${fixture.url}/activity`);
    await page.waitFor("main [title]");
    // The last of the seven days has one delivered and one failed notification.
    const barLabels: unknown = await page.tab.evaluate(BAR_LABELS);
    assert.deepEqual(barLabels, ["2"]);
    assert.match(
      await page.waitFor("main"),
      /counted in UTC\. They begin at \d\d:00 in your time zone/,
    );
    await page.tab.locator("main a ::-p-text(no longer)").click();
    await page.waitFor("main ::-p-text(Disk full)");
    assert.equal(
      await page.tab.evaluate(`document.body.innerText.includes("Backup finished")`),
      false,
    );
    assert.deepEqual(page.consoleErrors, []);
  });
}

const SET_BRITISH_ENGLISH = `Object.defineProperty(navigator, "languages", { get: () => ["en-GB", "en"] });`;
/** Evaluates to the labels of the bars. */
const BAR_LABELS = `[...document.querySelectorAll("main [title]")].map((label) => label.innerText).filter((text) => text !== "")`;
