import type { TestContext } from "node:test";
import type { AppCredentials } from "@tocsin/sdk";
import { GotifyPhone } from "../../server/test/doubles/gotify-phone.ts";
import { NtfyPhone } from "../../server/test/doubles/ntfy-phone.ts";
import type { ConsolePage } from "../../server/test/support/console-page.ts";
import {
  ANN,
  setUpServer,
  startConsoleFixture,
  type ConsoleUser,
} from "../../server/test/support/console-fixture.ts";
import { PUSH_BROWSERS } from "../../server/test/support/push-browsers.ts";
import { emulateAfternoon, takeElementPicture } from "./camera.ts";
import { showPublicAppPassword, showPublicPairingLink } from "./phone-link.ts";

/** The width of a phone. The height shows each step as a whole. */
const PHONE_VIEWPORT = { width: 390, height: 1100, deviceScaleFactor: 2, hasTouch: true };
const DIALOG = '[role="dialog"]';

/** Takes the screenshots of docs/ntfy-and-gotify.md in Chromium: from Add a phone to the first notification in each app. */
export async function takePhoneAppScreenshots(t: TestContext): Promise<void> {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const fixture = await startConsoleFixture(t, browsers);
  const ann = await setUpServer(fixture, browsers);
  const { tab } = ann.page;
  await tab.setViewport(PHONE_VIEWPORT);
  await emulateAfternoon(tab);
  await showPublicPairingLink(tab);
  await showPublicAppPassword(tab);
  await tab.goto(`${fixture.url}/devices`);
  await takeNtfyPictures(t, ann.page);
  await ann.page.press("Done");
  await ann.page.waitUntilGone(DIALOG);
  await takeGotifyPictures(t, ann, fixture.url);
}

async function takeNtfyPictures(t: TestContext, page: ConsolePage): Promise<void> {
  await chooseApp(page, "ntfy");
  await page.fillIn({ name: "Pixel 8" });
  await takeStepPicture(page, "ntfy-app-choose");
  const added = page.tab.waitForResponse((response) => response.url().endsWith("/v1/apps"));
  await page.press("Create an app password");
  await page.waitFor(`${DIALOG} [data-connected="false"]`);
  await takeStepPicture(page, "ntfy-app-values");
  // The response of `POST /api/app/v1/apps`, with the values that the page replaces.
  const credentials = (await (await added).json()) as AppCredentials;
  const phone = new NtfyPhone(t, credentials);
  await phone.subscribe();
  await phone.connectByWebSocket();
  await takeConnectedPicture(page, "ntfy-app-connected");
  await sendTest(page);
  // The dialog grows when the feed has a channel.
  await page.waitFor(`${DIALOG} a[href^="ntfy:"]`);
  await takeStepPicture(page, "ntfy-app-received");
}

async function takeGotifyPictures(
  t: TestContext,
  { page, client }: ConsoleUser,
  url: string,
): Promise<void> {
  await chooseApp(page, "gotify");
  await page.waitFor(`${DIALOG} [data-connected="false"]`);
  await takeStepPicture(page, "gotify-app-values");
  const { code } = await client.pairings.create();
  const phone = new GotifyPhone(t, { url, userName: ANN.email, password: code });
  await phone.signIn("Fairphone 5");
  await phone.connect();
  await takeConnectedPicture(page, "gotify-app-connected");
  await sendTest(page);
  await takeStepPicture(page, "gotify-app-received");
}

async function chooseApp(page: ConsolePage, app: "ntfy" | "gotify"): Promise<void> {
  await page.press("Add a phone");
  await page.waitFor(`${DIALOG} output`);
  await page.find(`${DIALOG} input[value="${app}"] + label`).click();
}

async function takeConnectedPicture(page: ConsolePage, name: string): Promise<void> {
  await page.waitFor(`${DIALOG} [data-connected="true"]`);
  await takeStepPicture(page, name);
}

async function sendTest(page: ConsolePage): Promise<void> {
  await page.press("Send a test notification");
  await page.waitFor(`${DIALOG} [data-connected="true"] ~ [role="status"] p`);
}

async function takeStepPicture({ tab }: ConsolePage, name: string): Promise<void> {
  await takeElementPicture(tab, DIALOG, name);
}
