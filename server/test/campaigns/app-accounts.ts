import { setTimeout as wait } from "node:timers/promises";
import { addGotifyApp } from "../support/add-gotify-app.ts";
import { signUp, type TestPerson } from "../support/app.ts";
import { startStealFreeTimer } from "../support/steal-time.ts";
import { APP_TRANSPORTS, type AppAccess, type AppTransport } from "./app-transports.ts";
import { CampaignApp } from "./campaign-app.ts";
import type { RunOptions } from "./campaign.ts";
import { Load } from "./load.ts";
import { createUrlPicker, type Site } from "./site.ts";

/** An account, its apps, and the load that sends to all of them. */
export interface AppAccount {
  readonly person: TestPerson;
  /** The apps that must get everything. */
  readonly apps: readonly CampaignApp[];
  /** An app that listens to a channel without messages. */
  readonly otherChannelApp: CampaignApp;
  /** A phone that is switched off while servers die, and has connected once before. */
  readonly offPhone: CampaignApp;
  readonly load: Load;
  /** Titles of the notifications to the phone that is off, which expire meanwhile. */
  readonly expiringTitles: ReadonlySet<string>;
}

/** Options of the accounts. */
export interface AppAccountsOptions {
  /** Number of apps that must get everything, over all accounts. */
  readonly size: number;
  /** Returns the wait of an app before it connects again. */
  readonly getRetryMs: () => number;
}

/** An account may have 20 apps with streams. */
const APPS_PER_ACCOUNT_MAX = 17;
const EXPIRING_COUNT = 5;
const CONNECTION_MAX_MS = 60_000;
const POLL_INTERVAL_MS = 20;

/** Signs people up with apps of all kinds. Resolves once each app has connected. All apps end with the campaign. */
export async function createAppAccounts(
  run: RunOptions,
  site: Site,
  { size, getRetryMs }: AppAccountsOptions,
): Promise<readonly AppAccount[]> {
  const count = Math.ceil(size / APPS_PER_ACCOUNT_MAX);
  // Shared, so that the apps spread over the nodes.
  const nextUrl = createUrlPicker(site.nodes);
  const accounts: AppAccount[] = [];
  for (let index = 0; index < count; index += 1) {
    const person = await signUp(site.nodes[0], `Person${index}`);
    const appCount = Math.ceil((size - index) / count);
    const perSecond = site.perSecond / count;
    accounts.push(
      await createAccount({ site, person, nextUrl, getRetryMs }, { appCount, perSecond }),
    );
  }
  const apps = accounts.flatMap(listApps);
  run.scope.after(() => {
    for (const app of apps) app.stop();
  });
  for (const { load } of accounts) run.scope.after(() => load.end());
  for (const app of apps) app.start();
  if (!(await waitUntilConnected(apps, { since: 0, limitMs: CONNECTION_MAX_MS })))
    throw new Error("Not all apps have connected.");
  for (const { offPhone } of accounts) offPhone.stop();
  return accounts;
}

/** Returns all apps of an account. */
export function listApps(account: AppAccount): readonly CampaignApp[] {
  return [...account.apps, account.otherChannelApp, account.offPhone];
}

/** Resolves with true once all apps have connected after a time of `performance.now()`, or with false after the limit. */
export async function waitUntilConnected(
  apps: readonly CampaignApp[],
  { since, limitMs }: { readonly since: number; readonly limitMs: number },
): Promise<boolean> {
  const readElapsedMs = startStealFreeTimer();
  const isConnected = ({ connectedAt }: CampaignApp) => connectedAt !== null && connectedAt > since;
  while (!apps.every(isConnected)) {
    if (readElapsedMs() > limitMs) return false;
    await wait(POLL_INTERVAL_MS);
  }
  return true;
}

/** Sends notifications to each phone that is off, which expire before it is switched on. */
export async function sendExpiring(accounts: readonly AppAccount[]): Promise<void> {
  for (const { person, offPhone, expiringTitles } of accounts) {
    const { items } = await person.client.devices.list({ limit: 200 });
    const deviceIds = items.flatMap(({ id, name }) => (name === offPhone.name ? [id] : []));
    const { id } = await person.client.groups.create({ name: "Off", deviceIds });
    for (const title of expiringTitles)
      await person.client.notifyGroup(id, { title, body: title }, { ttlSeconds: 1 });
  }
}

interface AccountDeps {
  readonly site: Site;
  readonly person: TestPerson;
  readonly nextUrl: () => string | null;
  readonly getRetryMs: () => number;
}

async function createAccount(
  deps: AccountDeps,
  { appCount, perSecond }: { readonly appCount: number; readonly perSecond: number },
): Promise<AppAccount> {
  const { site, person } = deps;
  const apps: CampaignApp[] = [];
  for (let index = 0; index < appCount; index += 1) {
    const transport = APP_TRANSPORTS[index % APP_TRANSPORTS.length] ?? APP_TRANSPORTS[0];
    apps.push(await createApp(deps, { name: `${transport.name} ${index}`, transport }));
  }
  const [webSocket] = APP_TRANSPORTS;
  const other = { name: "Other channel", transport: webSocket, topic: "quiet" };
  const otherChannelApp = await createApp(deps, other);
  const polls = APP_TRANSPORTS.find(({ name }) => name === "ntfy by polls") ?? webSocket;
  const offPhone = await createApp(deps, { name: "Off", transport: polls });
  const { items } = await person.client.devices.list({ limit: 200 });
  const deviceIds = items.map(({ id }) => id);
  const group = await person.client.groups.create({ name: "All", deviceIds });
  const load = new Load({
    perSecond,
    key: person.key,
    groupIds: [group.id],
    expectedStatuses: [],
    nextUrl: createUrlPicker(site.nodes),
  });
  const expiringTitles = new Set(
    Array.from({ length: EXPIRING_COUNT }, (_, index) => `expires ${index}`),
  );
  return { person, apps, otherChannelApp, offPhone, load, expiringTitles };
}

interface NewApp {
  readonly name: string;
  readonly transport: AppTransport;
  /** A channel; the app's own topic by default. */
  readonly topic?: string;
}

async function createApp(
  { site, person, nextUrl, getRetryMs }: AccountDeps,
  { name, transport, topic }: NewApp,
): Promise<CampaignApp> {
  return new CampaignApp({
    name,
    transport,
    access: await createAccess({ site, person }, { name, transport, topic }),
    nextUrl,
    getRetryMs,
  });
}

async function createAccess(
  { site, person }: Pick<AccountDeps, "site" | "person">,
  { name, transport, topic }: Omit<NewApp, "topic"> & { readonly topic: string | undefined },
): Promise<AppAccess> {
  if (transport.client === "gotify") {
    return { kind: "gotify", token: await addGotifyApp(site.nodes[0], person, name) };
  }
  const app = { client: "ntfy", name, platform: "android" } as const;
  const added = await person.client.devices.addApp(app);
  const credential = Buffer.from(`${added.userName}:${added.password}`).toString("base64");
  return { kind: "ntfy", topic: topic ?? added.topic, authorization: `Basic ${credential}` };
}
