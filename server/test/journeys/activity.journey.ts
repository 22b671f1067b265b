import assert from "node:assert/strict";
import test from "node:test";
import { sendAll, setUp, startStage, turnOn } from "../support/console-stage.ts";
import { PUSH_BROWSERS } from "../support/push-browsers.ts";

for (const [make, startBrowsers] of Object.entries(PUSH_BROWSERS)) {
  test(`${make} tells a British reader when, how many, and why, with a way to those in the log`, async (t) => {
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
    const told: unknown = await page.page.evaluate(`document.querySelector("article time").title`);
    const written = new Intl.DateTimeFormat("en-GB", { dateStyle: "full", timeStyle: "medium" });
    const [item] = (await ann.client.feed.list()).items;
    assert.equal(told, written.format(new Date(item?.createdAt ?? "")));

    await page.page.goto(`${stage.url}/activity`);
    await page.see("main [title]");
    // One was delivered and one was not, on the last day of seven.
    const numbers: unknown = await page.page.evaluate(NUMBERS);
    assert.deepEqual(numbers, ["2"]);
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
/** The labels on the bars. */
const NUMBERS = `[...document.querySelectorAll("main [title]")].map((one) => one.innerText).filter((text) => text !== "")`;
