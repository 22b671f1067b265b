import { setTimeout as wait } from "node:timers/promises";
import { openWithLongTimeouts, type DatabaseLocation } from "#database/open.ts";
import type { Round } from "../case.ts";
import { measureProcessorPercent, readResidentMb } from "../process-figures.ts";
import { measureBroadcasts } from "../support/broadcasts.ts";
import type { AppCredential } from "../support/fill-with-apps.ts";
import { requireAnswers, waitForResults } from "../support/ledger.ts";
import { SAMPLE } from "../support/sample.ts";
import { WebSocketApps, type AppRequest } from "../support/web-socket-apps.ts";

/** Time until the server has given back the memory of its start, or of the connections' opening. */
const SETTLE_MS = 30_000;
/** Two intervals of the pings that the server sends to idle apps. */
const REST_MS = 90_000;

/** Our servers with apps, and the name of the chosen one. */
export interface ConnectedAppsInput {
  readonly servers: Readonly<Record<string, AppServer>>;
  readonly target: string;
}

/** A server with apps, its database, and the key of the team of all apps. */
export interface AppServer {
  readonly url: string;
  readonly pid: number;
  readonly location: DatabaseLocation;
  readonly key: string;
  readonly apps: readonly AppCredential[];
}

/** Connects all apps, watches the server while they are idle, and then sends to all of them. */
export async function measureRound({ servers, target }: ConnectedAppsInput): Promise<Round> {
  const server = servers[target];
  if (server === undefined) throw new Error(`There are no apps of ${target}.`);
  const { url, pid } = server;
  await wait(SETTLE_MS);
  const residentMbBefore = readResidentMb(pid);
  const apps = await WebSocketApps.open(url, server.apps.map(toRequest));
  await wait(SETTLE_MS);
  const processorPercent = await measureProcessorPercent(pid, REST_MS);
  const growthMb = readResidentMb(pid) - residentMbBefore;
  const broadcasts = await measureSends(server, apps);
  apps.close();
  return { ...broadcasts, growthMb, processorPercent };
}

function toRequest({ password, topic }: AppCredential): AppRequest {
  const credential = Buffer.from(`app:${password}`).toString("base64");
  return { path: `/${topic}/ws`, headers: { authorization: `Basic ${credential}` } };
}

async function measureSends(server: AppServer, apps: WebSocketApps): Promise<Round> {
  const database = openWithLongTimeouts(server.location);
  const notificationIds: string[] = [];
  const appCount = server.apps.length;
  const figures = await measureBroadcasts({
    pid: server.pid,
    apps,
    appCount,
    async broadcast() {
      notificationIds.push(await send(server));
      await waitForResults(database);
    },
  });
  for (const notificationId of notificationIds)
    await requireAnswers(database, { notificationId, count: appCount });
  await database.close();
  return figures;
}

/** Sends the sample to the team, and returns the id of the notification. */
async function send({ url, key }: AppServer): Promise<string> {
  const response = await fetch(`${url}/api/v1/notify-async`, {
    method: "POST",
    headers: { "x-api-key": key, "content-type": "application/json" },
    body: JSON.stringify(SAMPLE),
  });
  const id = response.headers.get("x-notification-id");
  if (!response.ok || id === null) throw new Error(`${response.status} ${await response.text()}`);
  return id;
}
