import type { TestContext } from "node:test";
import type { Page } from "puppeteer-core";
import type { ConsolePage } from "../../server/test/support/console-page.ts";
import {
  sendNotifications,
  setUpServer,
  startConsoleFixture,
  type ConsoleUser,
} from "../../server/test/support/console-fixture.ts";
import { PUSH_BROWSERS } from "../../server/test/support/push-browsers.ts";
import { takePicture, takeElementPicture } from "./camera.ts";
import { showPublicPairingLink } from "./phone-link.ts";

const PHONE_VIEWPORT = { width: 390, height: 844, deviceScaleFactor: 2, hasTouch: true };
const COMPUTER_VIEWPORT = { width: 900, height: 900, deviceScaleFactor: 2 };

/** Takes the screenshots of docs/iphone.md in Chromium, with the console as an iPhone shows it. */
export async function takeIphoneScreenshots(t: TestContext): Promise<void> {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const fixture = await startConsoleFixture(t, browsers);
  const ann = await setUpServer(fixture, browsers);
  await takeCodePicture(ann);

  const phone = await browsers.open(`${fixture.url}/add`);
  const safariScript = await emulateIphone(phone.tab, IN_SAFARI);
  await phone.tab.goto(`${fixture.url}/add#token=x`);
  await phone.waitFor("main button");
  await takePicture(phone.tab, "iphone-add");
  await phone.tab.goto(`${fixture.url}/add`);
  await phone.waitFor("form");
  await takePicture(phone.tab, "iphone-type");

  const { code } = await ann.client.pairings.create();
  await phone.fillIn({ code });
  await phone.press("Add this device");
  await phone.waitFor('[data-notification-state="needs-home-screen"]');
  await takePicture(phone.tab, "iphone-home-screen");

  await phone.tab.removeScriptToEvaluateOnNewDocument(safariScript);
  await emulateIphone(phone.tab, ON_HOME_SCREEN);
  await phone.tab.goto(`${fixture.url}/welcome`);
  await phone.waitFor('[data-notification-state="off"]');
  await takePicture(phone.tab, "iphone-allow");
  await phone.press("Turn on notifications on this device");
  await phone.waitFor('[data-notification-state="on"]');
  await takePicture(phone.tab, "iphone-ready");

  await sendNotifications(fixture, ann, NOTIFICATIONS);
  await phone.tab.goto(`${fixture.url}/`);
  await phone.waitFor(`main ::-p-text(${NOTIFICATIONS[0]?.title})`);
  await takePicture(phone.tab, "iphone-feed");
}

async function takeCodePicture({ page }: ConsoleUser): Promise<void> {
  await showPublicPairingLink(page.tab);
  await page.tab.setViewport(COMPUTER_VIEWPORT);
  await page.tab.reload();
  await page.navigate("Devices");
  await page.press("Add a phone");
  await page.waitFor('[role="dialog"] output');
  await chooseIphone(page);
  await takeElementPicture(page.tab, '[role="dialog"]', "iphone-code");
}

async function chooseIphone({ tab }: ConsolePage): Promise<void> {
  await tab.locator('[role="dialog"] ::-p-text(iPhone, iPad)').click();
}

async function emulateIphone(page: Page, script: string): Promise<string> {
  await page.setViewport(PHONE_VIEWPORT);
  return (await page.evaluateOnNewDocument(script)).identifier;
}

const NOTIFICATIONS = [
  { title: "Backup finished", body: "42 GB in 11 minutes", channel: "backups" },
  { title: "New order", body: "3 × Espresso, 1 × Croissant", channel: "orders" },
  { title: "The door was opened", body: "Front door, 08:12", channel: "door" },
  { title: "Disk is filling up", body: "/var has 6 % left on web-2", channel: "servers" },
];

const DEFINE_USER_AGENT = `
  const userAgent = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1";
  Object.defineProperty(navigator, "userAgent", { get: () => userAgent });
`;

/** In Safari, an iPhone has no push. */
const IN_SAFARI = `{ ${DEFINE_USER_AGENT} delete window.PushManager; }`;

const ON_HOME_SCREEN = `{ ${DEFINE_USER_AGENT} Object.defineProperty(navigator, "standalone", { get: () => true }); }`;
