import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { createClient, type Client, type Notification } from "@tocsin/sdk";
import { dialTo } from "../doubles/dial-to.ts";
import { LOOPBACK } from "../doubles/listen.ts";
import { startApp, startPush, type TestApp } from "./app.ts";
import type { ConsolePage } from "./console-page.ts";
import { freePort } from "./free-port.ts";
import type { PushBrowsers } from "./push-browsers.ts";

/** A server that browsers open at its configured base URL. */
export interface ConsoleStage extends TestApp {
  /** Stops the server, runs `meanwhile`, and restarts it with the same data at the same URL. */
  restart(meanwhile: () => Promise<void>): Promise<void>;
}

/** Starts a new server without accounts, which reaches the browsers through their push service. */
export async function startStage(
  test: TestContext,
  { service }: Pick<PushBrowsers, "service">,
  environment: Readonly<Record<string, string>> = {},
): Promise<ConsoleStage> {
  // A subscription belongs to an origin, port included, so a restart must not change it.
  const port = await freePort();
  const push = await startPush(test);
  const options = {
    push,
    environment: {
      TOCSIN_PORT: String(port),
      TOCSIN_BASE_URL: `http://${LOOPBACK}:${port}`,
      TOCSIN_SIGN_UP: "invite",
      ...environment,
    },
    webPush: { connect: dialTo(service, push) },
  };
  const first = await startApp(test, options);
  return {
    ...first,
    restart: async (meanwhile) => {
      await first.app.stop();
      await meanwhile();
      await startApp(test, { ...options, dataDir: first.dataDir });
    },
  };
}

/** The values that a person enters to sign up. */
export interface Applicant {
  readonly name: string;
  readonly email: string;
  readonly password: string;
}

/** The person who sets the server up. */
export const ANN = {
  name: "Ann",
  email: "ann@example.org",
  password: "correct horse battery",
} as const satisfies Applicant;

/** A person's console page, and an API client with the same account. */
export interface Visitor {
  readonly page: ConsolePage;
  readonly client: Client;
}

/** Sets up the server in a browser with its set-up link. Ann becomes its administrator. */
export async function setUp({ app, url }: ConsoleStage, browsers: PushBrowsers): Promise<Visitor> {
  const page = await browsers.open((await app.createSetUpLink()) ?? "");
  const ann = await signUp(page, { url, applicant: ANN });
  await page.see("[data-live=true]");
  await page.see("main ::-p-text(steps to your first notification)");
  assert.equal((await ann.client.me()).isAdmin, true);
  return ann;
}

/** Signs up a person with the form on the page. */
export async function signUp(
  page: ConsolePage,
  { url, applicant }: { readonly url: string; readonly applicant: Applicant },
): Promise<Visitor> {
  const { name, email, password } = applicant;
  await page.fillIn({ name, email, password });
  await page.press("Create the account");
  // The form with the same text disappears.
  await page.see(`:is(header, main > p) ::-p-text(${email})`);
  const client = createClient({ baseUrl: url });
  await client.signIn({ email, password });
  return { page, client };
}

/** Signs in Ann with the form on the page. */
export async function signIn(page: ConsolePage): Promise<void> {
  await page.fillIn({ email: ANN.email, password: ANN.password });
  await page.press("Sign in");
  await page.see(`header ::-p-text(${ANN.email})`);
}

/** Adds this browser as the person's only device, and returns to the feed. */
export async function turnOn({ page, client }: Visitor): Promise<void> {
  await page.go("Devices");
  await page.see('[data-capability="off"]');
  await page.press("Turn on notifications on this device");
  await page.see('[data-capability="on"]');
  const { items } = await client.devices.list();
  assert.deepEqual(
    items.map(({ platform }) => platform),
    ["web"],
  );
  assert.match(await page.see(`li[data-id="${items[0]?.id}"]`), /this device/i);
  await page.go("Notifications");
}

/** Creates an API key on the empty feed page, and returns the displayed key. */
export async function createKey(page: ConsolePage): Promise<string> {
  await page.press("Create an API key");
  return page.see('[role="group"][aria-label="API key"]');
}

/** Sends notifications with a new key of the person, one after the other. Returns the id of the last one. */
export async function sendAll(
  { url }: Pick<ConsoleStage, "url">,
  { client }: Visitor,
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
