import { rmSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PushProviderName } from "@tocsin/sdk";
import { ApnsService } from "@tocsin/server/doubles/apns/apns-service.ts";
import {
  generateProviderKey,
  type OwnedProviderKey,
} from "@tocsin/server/doubles/apns/provider-key.ts";
import { FcmService } from "@tocsin/server/doubles/fcm/fcm-service.ts";
import { PushService } from "@tocsin/server/doubles/push-service.ts";
import { startThrowAwayServer } from "@tocsin/server/throw-away-server.ts";

/** The Tocsin server and the push services of a demo. */
export interface DemoServers {
  readonly services: DemoServices;
  /** The origin of each push service. */
  readonly origins: Readonly<Record<PushProviderName, string>>;
  /** The folder of the server's data. */
  readonly folder: string;
  readonly url: string;
}

/** The simulated push services of a demo, all on this machine. */
export interface DemoServices {
  readonly apns: ApnsService;
  readonly fcm: FcmService;
  readonly webPush: PushService;
}

/**
 * Starts push services, and a server in a temporary folder. Disposing `resources` stops them and removes the folder.
 */
export async function startDemoServers(resources: AsyncDisposableStack): Promise<DemoServers> {
  const folder = await createFolder(resources);
  const key = generateProviderKey();
  const services = await startServices(resources, key);
  const { apns, fcm } = services;
  const webPush = { origin: `http://127.0.0.1:${services.webPush.port}` };
  const server = await startThrowAwayServer({
    dataDir: folder,
    services: { apns: { ...toCredentials(key), origin: apns.origin, ca: apns.ca }, fcm, webPush },
    now: Date.now,
    elapsed: () => performance.now(),
    random: Math.random,
  });
  resources.defer(() => server.stop());
  const origins = { apns: apns.origin, fcm: fcm.origin, webpush: webPush.origin };
  return { services, origins, folder, url: server.url };
}

const TEAM_ID = "TOCSINDEMO";
/** A bundle id in a reserved domain (RFC 2606 section 3). */
const TOPIC = "org.example.tocsin";

async function startServices(
  resources: AsyncDisposableStack,
  key: OwnedProviderKey,
): Promise<DemoServices> {
  const team = { teamId: TEAM_ID, keys: [key], topics: [TOPIC] } as const;
  const apns = await ApnsService.start({ ...team, environment: "production" });
  resources.defer(() => apns.close());
  const fcm = await FcmService.start({ audience: "own" });
  resources.defer(() => fcm.close());
  const webPush = await PushService.start();
  resources.defer(() => webPush.close());
  return { apns, fcm, webPush };
}

function toCredentials({ keyId, privateKey }: OwnedProviderKey) {
  return { key: privateKey, keyId, teamId: TEAM_ID, topic: TOPIC };
}

async function createFolder(resources: AsyncDisposableStack): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "tocsin-demo-"));
  const removeFolderSync = (): void => rmSync(folder, { recursive: true, force: true });
  // The process may exit before its resources are disposed.
  process.once("exit", removeFolderSync);
  resources.defer(async () => {
    await rm(folder, { recursive: true, force: true });
    process.off("exit", removeFolderSync);
  });
  return folder;
}
