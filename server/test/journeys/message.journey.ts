import assert from "node:assert/strict";
import test from "node:test";
import { sendAll, setUp, startStage, turnOn } from "../support/console-stage.ts";
import { PUSH_BROWSERS } from "../support/push-browsers.ts";

const DISK = { title: "Disk full", body: "db-1 has 2 % left" };

for (const [make, startBrowsers] of Object.entries(PUSH_BROWSERS)) {
  test(`${make} plays the sound that a notification names, once, while a page is open`, async (t) => {
    const browsers = await startBrowsers(t);
    const stage = await startStage(t, browsers);
    const ann = await setUp(stage, browsers);
    const { page } = ann.page;
    await page.evaluateOnNewDocument(RECORD_TONES);
    await page.reload();
    await turnOn(ann);
    const id = await sendAll(stage, ann, [
      { ...DISK, title: "Nothing to hear" },
      { ...DISK, sound: "doorbell" },
    ]);
    await ann.page.see(`article[data-notification="${id}"]`);
    await browsers.taken(2);
    // The worker and the live stream both tell of it.
    await ann.page.shown(id);
    // Where no loudspeaker is, Firefox takes the tones and never begins.
    const heard = make === "Chromium" ? "isOver" : "hertz";
    await page.waitForFunction(`tones.filter(({ ${heard} }) => ${heard}).length === 2`);
    assert.deepEqual(
      await page.evaluate("tones.map(({ hertz }) => Math.round(hertz))"),
      [659, 523],
    );

    await ann.page.go("Profile & security");
    await page.locator("main ::-p-text(Sounds of notifications)").click();
    const last = await sendAll(stage, ann, [{ ...DISK, sound: "harp" }]);
    await ann.page.shown(last);
    assert.equal(await page.evaluate("tones.length"), 2);
    assert.deepEqual(ann.page.complaints, []);
  });
}

test("Chromium opens the link of a notification by a click on it, and the notification by its button", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const stage = await startStage(t, browsers);
  const ann = await setUp(stage, browsers);
  await turnOn(ann);
  const link = "https://status.example.org/disks";
  const id = await sendAll(stage, ann, [{ ...DISK, link }]);
  await ann.page.shown(id);
  assert.deepEqual(await browsers.opened(ann.page, id), [link]);
  await ann.page.miss(`article[data-notification="${id}"][data-unread]`);
  assert.equal(new URL(ann.page.page.url()).pathname, "/");

  const asked = await sendAll(stage, ann, [{ ...DISK, link: "homeassistant://navigate/disks" }]);
  await ann.page.shown(asked);
  assert.deepEqual(await browsers.opened(ann.page, asked), []);
  await ann.page.see(`article[data-opened-notification="${asked}"]`);
  await ann.page.press("Open with homeassistant…");

  const detailed = await sendAll(stage, ann, [{ ...DISK, link }]);
  await ann.page.shown(detailed);
  await browsers.follow(ann.page, detailed);
  await ann.page.see(`article[data-opened-notification="${detailed}"]`);
  assert.deepEqual(ann.page.complaints, []);
});

/** Notes each tone that the browser was given to play by a page that it lets be heard. */
const RECORD_TONES = `globalThis.tones = [];
const { start } = OscillatorNode.prototype;
OscillatorNode.prototype.start = function (...given) {
  const tone = { hertz: this.frequency.value, isOver: false };
  this.addEventListener("ended", () => (tone.isOver = this.context.state === "running"));
  tones.push(tone);
  return start.apply(this, given);
};`;
