import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { createClient, type Client, type Notification } from "@tocsin/sdk";
import { createDoubleConnector } from "../doubles/double-connector.ts";
import { LOOPBACK } from "../doubles/listen.ts";
import { startApp, startPushService, type TestApp } from "./app.ts";
import type { ConsolePage } from "./console-page.ts";
import { findFreePort } from "./free-port.ts";
import type { PushBrowsers } from "./push-browsers.ts";

/** A server that browsers open at its configured base URL. */
export interface ConsoleFixture extends TestApp {
  /** Stops the server, runs `meanwhile`, and restarts it with the same data at the same URL. */
  restart(meanwhile: () => Promise<void>): Promise<void>;
}

/** Starts a new server without accounts, which reaches the browsers through their push service. */
export async function startConsoleFixture(
  test: TestContext,
  { service }: Pick<PushBrowsers, "service">,
  environment: Readonly<Record<string, string>> = {},
): Promise<ConsoleFixture> {
  // A subscription belongs to an origin, which includes the port, so a restart must keep the port.
  const port = await findFreePort();
  const push = await startPushService(test);
  const options = {
    push,
    environment: {
      TOCSIN_PORT: String(port),
      TOCSIN_BASE_URL: `http://${LOOPBACK}:${port}`,
      TOCSIN_SIGN_UP: "invite",
      ...environment,
    },
    webPush: { connect: createDoubleConnector(service, push) },
  };
  const firstApp = await startApp(test, options);
  return {
    ...firstApp,
    restart: async (meanwhile) => {
      await firstApp.app.stop();
      await meanwhile();
      await startApp(test, { ...options, dataDir: firstApp.dataDir });
    },
  };
}

/** The values that a person enters to sign up. */
export interface Applicant {
  readonly name: string;
  readonly email: string;
  readonly password: string;
}

/** A person whom Ann invites. */
export const BEN = {
  name: "Ben",
  email: "ben@example.org",
  password: "password of Ben",
} as const satisfies Applicant;

/** The person who sets the server up. */
export const ANN = {
  name: "Ann",
  email: "ann@example.org",
  password: "correct horse battery",
} as const satisfies Applicant;

/** A person's console page, and an API client with the same account. */
export interface ConsoleUser {
  readonly page: ConsolePage;
  readonly client: Client;
}

/** Sets up the server in a browser with its set-up link. Ann becomes its administrator. */
export async function setUpServer(
  { app, url }: ConsoleFixture,
  browsers: PushBrowsers,
): Promise<ConsoleUser> {
  const page = await browsers.open((await app.createSetUpLink()) ?? "");
  const ann = await signUpWithForm(page, { url, applicant: ANN });
  await page.waitFor("[data-live=true]");
  await page.waitFor("main ::-p-text(steps to your first notification)");
  assert.equal((await ann.client.me()).isAdmin, true);
  return ann;
}

/** Signs up a person with the form on the page. */
export async function signUpWithForm(
  page: ConsolePage,
  { url, applicant }: { readonly url: string; readonly applicant: Applicant },
): Promise<ConsoleUser> {
  const { name, email, password } = applicant;
  await page.fillIn({ name, email, password });
  await page.press("Create the account");
  // The selector does not match the form, which contains the same address.
  await page.waitFor(`:is(header, main > p) ::-p-text(${email})`);
  const client = createClient({ baseUrl: url });
  await client.signIn({ email, password });
  return { page, client };
}

/** A person and the invitation that they accept. */
export interface AcceptedInvitation {
  readonly url: string;
  readonly applicant: Applicant;
  readonly teamName: string;
}

/** Signs up a person with the invitation on the page. Its form already contains the address. */
export async function joinTeam(
  page: ConsolePage,
  { url, applicant, teamName }: AcceptedInvitation,
): Promise<ConsoleUser> {
  const { name, email, password } = applicant;
  await page.fillIn({ name, password });
  await page.press("Create the account and join");
  await page.waitFor(`main [role="status"] ::-p-text(${teamName})`);
  await page.followLink("Go to Tocsin");
  const client = createClient({ baseUrl: url });
  await client.signIn({ email, password });
  return { page, client };
}

/** Signs in Ann with the form on the page. */
export async function signInWithForm(page: ConsolePage): Promise<void> {
  await page.fillIn({ email: ANN.email, password: ANN.password });
  await page.press("Sign in");
  await page.waitFor(`header ::-p-text(${ANN.email})`);
}

/** Adds this browser as the person's only device, and returns to the feed. */
export async function turnOnNotifications({ page, client }: ConsoleUser): Promise<void> {
  await page.navigate("Devices");
  await page.waitFor('[data-notification-state="off"]');
  await page.press("Turn on notifications on this device");
  await page.waitFor('[data-notification-state="on"]');
  const { items } = await client.devices.list();
  assert.deepEqual(
    items.map(({ platform }) => platform),
    ["web"],
  );
  assert.match(await page.waitFor(`li[data-id="${items[0]?.id}"]`), /this device/i);
  await page.navigate("Notifications");
}

/** Creates an API key on the empty feed page, and returns the displayed key. */
export async function createKeyOnPage(page: ConsolePage): Promise<string> {
  await page.press("Create an API key");
  return page.waitFor('[role="group"][aria-label="API key"]');
}

/** Sends notifications with a new key of the person, one after another. Returns the id of the last one. */
export async function sendNotifications(
  { url }: Pick<ConsoleFixture, "url">,
  { client }: ConsoleUser,
  notifications: readonly Notification[],
): Promise<string> {
  const { key } = await client.keys.create({ kind: "account", label: "Backup script" });
  const sender = createClient({ baseUrl: url, apiKey: key });
  let lastId: string | null = null;
  for (const notification of notifications) {
    lastId = (await sender.notify(notification)).notificationId;
  }
  assert.ok(lastId !== null);
  return lastId;
}
