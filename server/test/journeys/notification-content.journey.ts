import assert from "node:assert/strict";
import { createServer } from "node:http";
import test, { type TestContext } from "node:test";
import { closeHttpServer, listen, LOOPBACK } from "../doubles/listen.ts";
import {
  sendNotifications,
  setUpServer,
  startConsoleFixture,
  turnOnNotifications,
} from "../support/console-fixture.ts";
import { PUSH_BROWSERS } from "../support/push-browsers.ts";

const DISK = { title: "Disk full", body: "db-1 has 2 % left" };

for (const [browserName, startBrowsers] of Object.entries(PUSH_BROWSERS)) {
  test(`${browserName} plays a notification's sound once while a page is open, until its sounds are turned off`, async (t) => {
    const browsers = await startBrowsers(t);
    const fixture = await startConsoleFixture(t, browsers);
    const ann = await setUpServer(fixture, browsers);
    const { tab } = ann.page;
    await tab.evaluateOnNewDocument(RECORD_TONES);
    await tab.reload();
    await turnOnNotifications(ann);
    const id = await sendNotifications(fixture, ann, [
      { ...DISK, title: "Nothing to hear" },
      { ...DISK, sound: "doorbell" },
    ]);
    await ann.page.waitFor(`article[data-notification="${id}"]`);
    await browsers.waitForHandled(2);
    // Both the service worker and the live stream announce the notification.
    await ann.page.waitForNotification(id);
    // Without an audio device, Firefox accepts the tones but never plays them, so that they do not end.
    const requiredKey = browserName === "Chromium" ? "hasEnded" : "hertz";
    await tab.waitForFunction(`tones.filter(({ ${requiredKey} }) => ${requiredKey}).length === 2`);
    assert.deepEqual(await tab.evaluate("tones.map(({ hertz }) => Math.round(hertz))"), [659, 523]);

    await ann.page.navigate("Profile & security");
    await tab.locator("main ::-p-text(Notification sounds)").click();
    const lastId = await sendNotifications(fixture, ann, [{ ...DISK, sound: "harp" }]);
    await ann.page.waitForNotification(lastId);
    assert.equal(await tab.evaluate("tones.length"), 2);
    assert.deepEqual(ann.page.consoleErrors, []);
  });
}

test("a click on a notification in Chromium opens its link, and its button opens the notification", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const fixture = await startConsoleFixture(t, browsers);
  const ann = await setUpServer(fixture, browsers);
  await turnOnNotifications(ann);
  const link = "https://status.example.org/disks";
  const id = await sendNotifications(fixture, ann, [{ ...DISK, link }]);
  await ann.page.waitForNotification(id);
  assert.deepEqual(await browsers.clickNotification(ann.page, id), [link]);
  await ann.page.waitUntilGone(`article[data-notification="${id}"][data-unread]`);
  assert.equal(new URL(ann.page.tab.url()).pathname, "/");

  const appLinkId = await sendNotifications(fixture, ann, [
    { ...DISK, link: "homeassistant://navigate/disks" },
  ]);
  await ann.page.waitForNotification(appLinkId);
  assert.deepEqual(await browsers.clickNotification(ann.page, appLinkId), []);
  await ann.page.waitFor(`article[data-opened-notification="${appLinkId}"]`);
  await ann.page.press("Open with homeassistant…");

  const buttonId = await sendNotifications(fixture, ann, [{ ...DISK, link }]);
  await ann.page.waitForNotification(buttonId);
  await browsers.openNotification(ann.page, buttonId);
  await ann.page.waitFor(`article[data-opened-notification="${buttonId}"]`);
  assert.deepEqual(ann.page.consoleErrors, []);
});

for (const [browserName, startBrowsers] of Object.entries(PUSH_BROWSERS)) {
  test(`${browserName} shows links, Markdown if the sender asked for it, and images on request`, async (t) => {
    const browsers = await startBrowsers(t);
    const fixture = await startConsoleFixture(t, browsers);
    const ann = await setUpServer(fixture, browsers);
    const { tab } = ann.page;
    await turnOnNotifications(ann);
    const imageServer = await startImageServer(t);
    const body = "*See* https://wiki.example.org/Disk_(full).";
    const image = `${imageServer.origin}/chart.svg`;
    const plainId = await sendNotifications(fixture, ann, [{ title: "Disk full", body, image }]);
    await tab.goto(`${fixture.url}/n/${plainId}`);
    const openedText = await ann.page.waitFor(`[data-opened-notification="${plainId}"]`);
    assert.ok(openedText.includes(body), openedText);
    assert.deepEqual(await tab.evaluate(EXTERNAL_LINKS), [
      ["https://wiki.example.org/Disk_(full)", "_blank", "noopener noreferrer"],
      [image, "_blank", "noopener noreferrer"],
    ]);

    // The browser itself requests the image for the push; only the console's requests are counted from here.
    await ann.page.waitForNotification(plainId);
    imageServer.requests.length = 0;
    const { host } = new URL(imageServer.origin);
    await ann.page.press(`Show images from ${host}`);
    await tab.waitForFunction(HAS_IMAGE_RATIO);
    assert.deepEqual(imageServer.requests, [{ path: "/chart.svg", referrer: undefined }]);

    const markdownId = await sendNotifications(fixture, ann, [
      { title: "Backup", body: MARKDOWN, markdown: true },
    ]);
    // Firefox logs an error if the page is left while the Markdown chunk loads.
    await ann.page.navigate("Notifications");
    await ann.page.waitFor(`article[data-notification="${markdownId}"] ::-p-text(Night 3 files)`);
    await tab.goto(`${fixture.url}/n/${markdownId}`);
    await ann.page.waitFor(`[data-opened-notification="${markdownId}"] h3`);
    assert.deepEqual(await tab.evaluate(ELEMENT_COUNTS), [1, 2, 1, 0]);
    assert.deepEqual(await tab.evaluate(EXTERNAL_LINKS), [
      ["https://wiki.example.org/backup", "_blank", "noopener noreferrer"],
    ]);
    // The row shows the text as it was sent until the Markdown chunk is loaded.
    await ann.page.waitFor(`article[data-notification="${markdownId}"] ::-p-text(Night 3 files)`);
    const preview = await ann.page.waitFor(`article[data-notification="${markdownId}"]`);
    assert.ok(preview.includes("Night 3 files, 1 failed <b>no HTML</b> the wiki"), preview);
    const push = (await ann.page.waitForNotification(markdownId)).find(
      ({ tag }) => tag === markdownId,
    );
    assert.equal(push?.body, "Night\n• 3 files, 1 failed\n• <b>no HTML</b> the wiki");

    await tab.goto(`${fixture.url}/n/${plainId}`);
    await tab.waitForFunction(HAS_IMAGE_RATIO);
    await ann.page.press(`Hide images from ${host}`);
    await ann.page.waitUntilGone("iframe");
    await tab.reload();
    await ann.page.waitFor(`[data-opened-notification="${plainId}"] [data-picture] button`);
    assert.equal(await tab.evaluate(`document.querySelector("iframe")`), null);
    const unexpectedErrors = ann.page.consoleErrors.filter(
      (text) => text !== `a request to ${image}`,
    );
    assert.deepEqual(unexpectedErrors, []);
  });
}

const MARKDOWN =
  "# Night\n\n- 3 files, **1 failed**\n- <b>no HTML</b> [the wiki](https://wiki.example.org/backup)";
/** Evaluates to the numbers of headings, list items, bold texts and raw HTML elements. */
const ELEMENT_COUNTS = `["> h3", "> ul > li", "strong", "b"]
  .map((selector) => document.querySelectorAll("[data-opened-notification] div[dir=auto] " + selector).length)`;
/** Evaluates to the URL, the target and the `rel` of each link to another host. */
const EXTERNAL_LINKS = `[...document.querySelectorAll("[data-opened-notification] a[href^=http]")]
  .filter(({ host }) => host !== location.host)
  .map(({ href, target, rel }) => [href, target, rel])`;
/** Evaluates to whether the frame has the aspect ratio of its image. */
const HAS_IMAGE_RATIO = `document.querySelector("iframe")?.style.aspectRatio === "640 / 320"`;

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
  t.after(() => closeHttpServer(server));
  return { requests, origin: `http://${LOOPBACK}:${port}` };
}

/** Records each tone that a page starts, and whether the audio was running when it ended. */
const RECORD_TONES = `globalThis.tones = [];
const { start } = OscillatorNode.prototype;
OscillatorNode.prototype.start = function (...args) {
  const tone = { hertz: this.frequency.value, hasEnded: false };
  this.addEventListener("ended", () => (tone.hasEnded = this.context.state === "running"));
  tones.push(tone);
  return start.apply(this, args);
};`;
