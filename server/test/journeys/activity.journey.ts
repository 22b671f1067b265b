import assert from "node:assert/strict";
import test from "node:test";
import { sendAll, setUp, startStage, turnOn } from "../support/console-stage.ts";
import { PUSH_BROWSERS } from "../support/push-browsers.ts";

for (const [browserName, startBrowsers] of Object.entries(PUSH_BROWSERS)) {
  test(`${browserName} shows times and counts in British English, and links failures to the log`, async (t) => {
    const browsers = await startBrowsers(t);
    const stage = await startStage(t, browsers);
    const ann = await setUp(stage, browsers);
    const { page } = ann;
    await page.page.evaluateOnNewDocument(BRITISH);
    await page.page.reload();
    await turnOn(ann);
    await sendAll(stage, ann, [{ title: "Backup finished", body: "" }]);
    await page.unsubscribe();
    await browsers.unsubscribed(1);
    const id = await sendAll(stage, ann, [{ title: "Disk full", body: "" }]);
    await page.see(`article[data-notification="${id}"]`);
    const shownTime: unknown = await page.page.evaluate(
      `document.querySelector("article time").title`,
    );
    const formatter = new Intl.DateTimeFormat("en-GB", { dateStyle: "full", timeStyle: "medium" });
    const [item] = (await ann.client.feed.list()).items;
    assert.equal(shownTime, formatter.format(new Date(item?.createdAt ?? "")));

    await page.page.goto(`${stage.url}/activity`);
    await page.see("main [title]");
    // The last of the seven days has one delivered and one failed notification.
    const barLabels: unknown = await page.page.evaluate(BAR_LABELS);
    assert.deepEqual(barLabels, ["2"]);
    assert.match(
      await page.see("main"),
      /counted in UTC\. They begin at \d\d:00 in your time zone/,
    );
    await page.page.locator("main a ::-p-text(no longer)").click();
    await page.see("main ::-p-text(Disk full)");
    assert.equal(
      await page.page.evaluate(`document.body.innerText.includes("Backup finished")`),
      false,
    );
    assert.deepEqual(page.complaints, []);
  });
}

const BRITISH = `Object.defineProperty(navigator, "languages", { get: () => ["en-GB", "en"] });`;
/** Evaluates to the labels of the bars. */
const BAR_LABELS = `[...document.querySelectorAll("main [title]")].map((label) => label.innerText).filter((text) => text !== "")`;
