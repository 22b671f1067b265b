import type { TestContext } from "node:test";
import type { Page } from "puppeteer-core";
import type { ConsolePage } from "../../server/test/support/console-page.ts";
import {
  sendAll,
  setUp,
  startStage,
  type Visitor,
} from "../../server/test/support/console-stage.ts";
import { PUSH_BROWSERS } from "../../server/test/support/push-browsers.ts";
import { takePicture, takeElementPicture } from "./camera.ts";
import { showPublicPairingLink } from "./phone-link.ts";

const PHONE = { width: 390, height: 844, deviceScaleFactor: 2, hasTouch: true };
const COMPUTER = { width: 900, height: 900, deviceScaleFactor: 2 };

/** Takes the pictures of docs/iphone.md in Chromium, with the console as an iPhone shows it. */
export async function takeIphonePictures(t: TestContext): Promise<void> {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const stage = await startStage(t, browsers);
  const ann = await setUp(stage, browsers);
  await showCode(ann);

  const phone = await browsers.open(`${stage.url}/add`);
  const safariScript = await emulateIphone(phone.page, IN_SAFARI);
  await phone.page.goto(`${stage.url}/add#token=x`);
  await phone.see("main button");
  await takePicture(phone.page, "iphone-add");
  await phone.page.goto(`${stage.url}/add`);
  await phone.see("form");
  await takePicture(phone.page, "iphone-type");

  const { code } = await ann.client.pairings.create();
  await phone.fillIn({ code });
  await phone.press("Add this device");
  await phone.see('[data-capability="needs-home-screen"]');
  await takePicture(phone.page, "iphone-home-screen");

  await phone.page.removeScriptToEvaluateOnNewDocument(safariScript);
  await emulateIphone(phone.page, ON_HOME_SCREEN);
  await phone.page.goto(`${stage.url}/welcome`);
  await phone.see('[data-capability="off"]');
  await takePicture(phone.page, "iphone-allow");
  await phone.press("Turn on notifications on this device");
  await phone.see('[data-capability="on"]');
  await takePicture(phone.page, "iphone-ready");

  await sendAll(stage, ann, NOTIFICATIONS);
  await phone.page.goto(`${stage.url}/`);
  await phone.see(`main ::-p-text(${NOTIFICATIONS[0]?.title})`);
  await takePicture(phone.page, "iphone-feed");
}

async function showCode({ page }: Visitor): Promise<void> {
  await showPublicPairingLink(page.page);
  await page.page.setViewport(COMPUTER);
  await page.page.reload();
  await page.go("Devices");
  await page.press("Add a phone");
  await page.see('[role="dialog"] output');
  await chooseIphone(page);
  await takeElementPicture(page.page, '[role="dialog"]', "iphone-code");
}

async function chooseIphone({ page }: ConsolePage): Promise<void> {
  await page.locator('[role="dialog"] ::-p-text(iPhone, iPad)').click();
}

async function emulateIphone(page: Page, script: string): Promise<string> {
  await page.setViewport(PHONE);
  return (await page.evaluateOnNewDocument(script)).identifier;
}

const NOTIFICATIONS = [
  { title: "Backup finished", body: "42 GB in 11 minutes", channel: "backups" },
  { title: "New order", body: "3 × Espresso, 1 × Croissant", channel: "orders" },
  { title: "The door was opened", body: "Front door, 08:12", channel: "door" },
  { title: "Disk is filling up", body: "/var has 6 % left on web-2", channel: "servers" },
];

const AGENT = `
  const userAgent = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1";
  Object.defineProperty(navigator, "userAgent", { get: () => userAgent });
`;

/** In Safari, an iPhone has no push. */
const IN_SAFARI = `{ ${AGENT} delete window.PushManager; }`;

const ON_HOME_SCREEN = `{ ${AGENT} Object.defineProperty(navigator, "standalone", { get: () => true }); }`;
