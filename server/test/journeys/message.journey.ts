import assert from "node:assert/strict";
import { createServer } from "node:http";
import test, { type TestContext } from "node:test";
import { closeHttp, listen, LOOPBACK } from "../doubles/listen.ts";
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
    await page.locator("main ::-p-text(Notification sounds)").click();
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

for (const [make, startBrowsers] of Object.entries(PUSH_BROWSERS)) {
  test(`${make} shows what is written: links, Markdown where it is asked for, and pictures once somebody asks`, async (t) => {
    const browsers = await startBrowsers(t);
    const stage = await startStage(t, browsers);
    const ann = await setUp(stage, browsers);
    const { page } = ann.page;
    await turnOn(ann);
    const pictures = await startPictures(t);
    const body = "*See* https://wiki.example.org/Disk_(full).";
    const image = `${pictures.origin}/chart.svg`;
    const plain = await sendAll(stage, ann, [{ title: "Disk full", body, image }]);
    await page.goto(`${stage.url}/n/${plain}`);
    const shown = await ann.page.see(`[data-opened-notification="${plain}"]`);
    assert.ok(shown.includes(body), shown);
    assert.deepEqual(await page.evaluate(LINKS), [
      ["https://wiki.example.org/Disk_(full)", "_blank", "noopener noreferrer"],
      [image, "_blank", "noopener noreferrer"],
    ]);

    // The browser itself shows the push with its picture.
    await ann.page.shown(plain);
    pictures.asked.length = 0;
    const { host } = new URL(pictures.origin);
    await ann.page.press(`Show images from ${host}`);
    await page.waitForFunction(SIZED);
    assert.deepEqual(pictures.asked, [{ path: "/chart.svg", referrer: undefined }]);

    const marked = await sendAll(stage, ann, [{ title: "Backup", body: MARKDOWN, markdown: true }]);
    // Firefox reports the part that reads Markdown, if it is left while it loads.
    await ann.page.go("Notifications");
    await ann.page.see(`article[data-notification="${marked}"] ::-p-text(Night 3 files)`);
    await page.goto(`${stage.url}/n/${marked}`);
    await ann.page.see(`[data-opened-notification="${marked}"] h3`);
    assert.deepEqual(await page.evaluate(ELEMENTS), [1, 2, 1, 0]);
    assert.deepEqual(await page.evaluate(LINKS), [
      ["https://wiki.example.org/backup", "_blank", "noopener noreferrer"],
    ]);
    const words = await ann.page.see(`article[data-notification="${marked}"]`);
    assert.ok(words.includes("Night 3 files, 1 failed <b>no HTML</b> the wiki"), words);
    const push = (await ann.page.shown(marked)).find(({ tag }) => tag === marked);
    assert.equal(push?.body, "Night\n• 3 files, 1 failed\n• <b>no HTML</b> the wiki");

    await page.goto(`${stage.url}/n/${plain}`);
    await page.waitForFunction(SIZED);
    await ann.page.press(`Hide images from ${host}`);
    await ann.page.miss("iframe");
    await page.reload();
    await ann.page.see(`[data-opened-notification="${plain}"] [data-picture] button`);
    assert.equal(await page.evaluate(`document.querySelector("iframe")`), null);
    const complaints = ann.page.complaints.filter((text) => text !== `a request to ${image}`);
    assert.deepEqual(complaints, []);
  });
}

const MARKDOWN =
  "# Night\n\n- 3 files, **1 failed**\n- <b>no HTML</b> [the wiki](https://wiki.example.org/backup)";
const ELEMENTS = `["> h3", "> ul > li", "strong", "b"]
  .map((one) => document.querySelectorAll("[data-opened-notification] div[dir=auto] " + one).length)`;
const LINKS = `[...document.querySelectorAll("[data-opened-notification] a[href^=http]")]
  .filter(({ host }) => host !== location.host)
  .map(({ href, target, rel }) => [href, target, rel])`;
/** The frame is as large as its picture. */
const SIZED = `document.querySelector("iframe")?.style.aspectRatio === "640 / 320"`;

interface Asked {
  readonly path: string;
  readonly referrer: string | undefined;
}

/** A host of pictures, which notes who asks it for what. */
async function startPictures(t: TestContext) {
  const asked: Asked[] = [];
  const server = createServer(({ url = "", headers }, response) => {
    asked.push({ path: url, referrer: headers.referer });
    response.setHeader("content-type", "image/svg+xml");
    response.end('<svg xmlns="http://www.w3.org/2000/svg" width="640" height="320"/>');
  });
  const port = await listen(server);
  t.after(() => closeHttp(server));
  return { asked, origin: `http://${LOOPBACK}:${port}` };
}

/** Notes each tone that the browser was given to play by a page that it lets be heard. */
const RECORD_TONES = `globalThis.tones = [];
const { start } = OscillatorNode.prototype;
OscillatorNode.prototype.start = function (...given) {
  const tone = { hertz: this.frequency.value, isOver: false };
  this.addEventListener("ended", () => (tone.isOver = this.context.state === "running"));
  tones.push(tone);
  return start.apply(this, given);
};`;
