import assert from "node:assert/strict";
import { createServer } from "node:http";
import test, { type TestContext } from "node:test";
import { closeHttp, listen, LOOPBACK } from "../doubles/listen.ts";
import { sendAll, setUp, startStage, turnOn } from "../support/console-stage.ts";
import { PUSH_BROWSERS } from "../support/push-browsers.ts";

const DISK = { title: "Disk full", body: "db-1 has 2 % left" };

for (const [browserName, startBrowsers] of Object.entries(PUSH_BROWSERS)) {
  test(`${browserName} plays a notification's sound once while a page is open`, async (t) => {
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
    await browsers.handled(2);
    // Both the service worker and the live stream announce it.
    await ann.page.shown(id);
    // Without an audio device, Firefox accepts the tones and never starts them.
    const playedKey = browserName === "Chromium" ? "hasEnded" : "hertz";
    await page.waitForFunction(`tones.filter(({ ${playedKey} }) => ${playedKey}).length === 2`);
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

test("in Chromium, a click on a notification opens its link, and its button the notification", async (t) => {
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

  const toConfirm = await sendAll(stage, ann, [
    { ...DISK, link: "homeassistant://navigate/disks" },
  ]);
  await ann.page.shown(toConfirm);
  assert.deepEqual(await browsers.opened(ann.page, toConfirm), []);
  await ann.page.see(`article[data-opened-notification="${toConfirm}"]`);
  await ann.page.press("Open with homeassistant…");

  const detailed = await sendAll(stage, ann, [{ ...DISK, link }]);
  await ann.page.shown(detailed);
  await browsers.follow(ann.page, detailed);
  await ann.page.see(`article[data-opened-notification="${detailed}"]`);
  assert.deepEqual(ann.page.complaints, []);
});

for (const [browserName, startBrowsers] of Object.entries(PUSH_BROWSERS)) {
  test(`${browserName} shows links, Markdown if the sender asked for it, and images on request`, async (t) => {
    const browsers = await startBrowsers(t);
    const stage = await startStage(t, browsers);
    const ann = await setUp(stage, browsers);
    const { page } = ann.page;
    await turnOn(ann);
    const imageServer = await startImageServer(t);
    const body = "*See* https://wiki.example.org/Disk_(full).";
    const image = `${imageServer.origin}/chart.svg`;
    const plainId = await sendAll(stage, ann, [{ title: "Disk full", body, image }]);
    await page.goto(`${stage.url}/n/${plainId}`);
    const shown = await ann.page.see(`[data-opened-notification="${plainId}"]`);
    assert.ok(shown.includes(body), shown);
    assert.deepEqual(await page.evaluate(LINKS), [
      ["https://wiki.example.org/Disk_(full)", "_blank", "noopener noreferrer"],
      [image, "_blank", "noopener noreferrer"],
    ]);

    // The browser itself loads the image of the push.
    await ann.page.shown(plainId);
    imageServer.requests.length = 0;
    const { host } = new URL(imageServer.origin);
    await ann.page.press(`Show images from ${host}`);
    await page.waitForFunction(SIZED);
    assert.deepEqual(imageServer.requests, [{ path: "/chart.svg", referrer: undefined }]);

    const markdownId = await sendAll(stage, ann, [
      { title: "Backup", body: MARKDOWN, markdown: true },
    ]);
    // Firefox logs an error if the page is left while the Markdown chunk loads.
    await ann.page.go("Notifications");
    await ann.page.see(`article[data-notification="${markdownId}"] ::-p-text(Night 3 files)`);
    await page.goto(`${stage.url}/n/${markdownId}`);
    await ann.page.see(`[data-opened-notification="${markdownId}"] h3`);
    assert.deepEqual(await page.evaluate(ELEMENTS), [1, 2, 1, 0]);
    assert.deepEqual(await page.evaluate(LINKS), [
      ["https://wiki.example.org/backup", "_blank", "noopener noreferrer"],
    ]);
    const preview = await ann.page.see(`article[data-notification="${markdownId}"]`);
    assert.ok(preview.includes("Night 3 files, 1 failed <b>no HTML</b> the wiki"), preview);
    const push = (await ann.page.shown(markdownId)).find(({ tag }) => tag === markdownId);
    assert.equal(push?.body, "Night\n• 3 files, 1 failed\n• <b>no HTML</b> the wiki");

    await page.goto(`${stage.url}/n/${plainId}`);
    await page.waitForFunction(SIZED);
    await ann.page.press(`Hide images from ${host}`);
    await ann.page.miss("iframe");
    await page.reload();
    await ann.page.see(`[data-opened-notification="${plainId}"] [data-picture] button`);
    assert.equal(await page.evaluate(`document.querySelector("iframe")`), null);
    const complaints = ann.page.complaints.filter((text) => text !== `a request to ${image}`);
    assert.deepEqual(complaints, []);
  });
}

const MARKDOWN =
  "# Night\n\n- 3 files, **1 failed**\n- <b>no HTML</b> [the wiki](https://wiki.example.org/backup)";
const ELEMENTS = `["> h3", "> ul > li", "strong", "b"]
  .map((selector) => document.querySelectorAll("[data-opened-notification] div[dir=auto] " + selector).length)`;
const LINKS = `[...document.querySelectorAll("[data-opened-notification] a[href^=http]")]
  .filter(({ host }) => host !== location.host)
  .map(({ href, target, rel }) => [href, target, rel])`;
/** Evaluates to whether the frame has its image's aspect ratio. */
const SIZED = `document.querySelector("iframe")?.style.aspectRatio === "640 / 320"`;

interface ImageRequest {
  readonly path: string;
  readonly referrer: string | undefined;
}

/** Starts an image server that records its requests. */
async function startImageServer(t: TestContext) {
  const requests: ImageRequest[] = [];
  const server = createServer(({ url = "", headers }, response) => {
    requests.push({ path: url, referrer: headers.referer });
    response.setHeader("content-type", "image/svg+xml");
    response.end('<svg xmlns="http://www.w3.org/2000/svg" width="640" height="320"/>');
  });
  const port = await listen(server);
  t.after(() => closeHttp(server));
  return { requests, origin: `http://${LOOPBACK}:${port}` };
}

/** Records each tone that a page plays, and whether it was audible to its end. */
const RECORD_TONES = `globalThis.tones = [];
const { start } = OscillatorNode.prototype;
OscillatorNode.prototype.start = function (...args) {
  const tone = { hertz: this.frequency.value, hasEnded: false };
  this.addEventListener("ended", () => (tone.hasEnded = this.context.state === "running"));
  tones.push(tone);
  return start.apply(this, args);
};`;
