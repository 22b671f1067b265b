import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { generateServiceAccount } from "../../test/doubles/fcm/service-account.ts";
import { LOOPBACK } from "../../test/doubles/listen.ts";
import type { PeerTarget } from "../support/senders.ts";
import { SAMPLE } from "../support/sample.ts";
import { APNS_TOPIC, generateApnsSender } from "../support/sender-credentials.ts";
import { startTokenService } from "../support/token-service.ts";
import { findFreePort, startProgram, type PeerProgram, type RunningProgram } from "./program.ts";

/** One worker per connection, because each sends one notification at a time. */
const WORKER_COUNT = 64;
/** The numbers of the platforms in gorush's API. */
const PLATFORM = { ios: 1, android: 2 } as const;

/** gorush, which responds once the push service has. Sources: README.md and config/config.go of gorush 1.22. */
export const gorush: PeerProgram = {
  name: "gorush",
  binaries: ["gorush"],
  versionArgs: ["-V"],
  versionPattern: /^GoRush ([^\s,]+),/m,
  async start(scope, options) {
    const port = await findFreePort();
    const { privateKey, keyId, teamId } = generateApnsSender();
    const apnsKeyPath = join(options.folder, "apns.p8");
    const fcmKeyPath = join(options.folder, "fcm.json");
    await writeFile(apnsKeyPath, privateKey);
    await writeFile(fcmKeyPath, await createFcmCredentials());
    const environment = {
      GORUSH_CORE_ADDRESS: LOOPBACK,
      GORUSH_CORE_PORT: String(port),
      GORUSH_CORE_SYNC: "true",
      GORUSH_CORE_WORKER_NUM: String(WORKER_COUNT),
      GORUSH_IOS_ENABLED: "true",
      GORUSH_IOS_PRODUCTION: "true",
      GORUSH_IOS_KEY_PATH: apnsKeyPath,
      GORUSH_IOS_KEY_ID: keyId,
      GORUSH_IOS_TEAM_ID: teamId,
      GORUSH_ANDROID_ENABLED: "true",
      GORUSH_ANDROID_KEY_PATH: fcmKeyPath,
    };
    const command = { args: [], environment, readyPath: "/healthz" };
    return startProgram(scope, { ...options, port }, command);
  },
};

/** Returns a target that sends the sample to each of these iPhones in turn. */
export function createGorushApnsTarget(server: RunningProgram, tokens: readonly string[]) {
  return createTarget(server, tokens, { platform: PLATFORM.ios, topic: APNS_TOPIC });
}

/** Returns a target that sends the sample to each of these Android phones in turn. */
export function createGorushFcmTarget(server: RunningProgram, tokens: readonly string[]) {
  return createTarget(server, tokens, { platform: PLATFORM.android });
}

function createTarget(
  { url, pid }: RunningProgram,
  tokens: readonly string[],
  fields: Readonly<Record<string, unknown>>,
): PeerTarget {
  const { title, body: message, link } = SAMPLE;
  const requests = tokens.map((token) => {
    const notification = { tokens: [token], title, message, data: { link }, ...fields };
    return { path: "/api/push", headers: {}, body: { notifications: [notification] } };
  });
  // The status is 200 even if the push failed. Every failure is in the logs.
  return { url, pid, requests, acceptedText: '"logs":[]' };
}

async function createFcmCredentials(): Promise<string> {
  const { credentials } = generateServiceAccount("bench");
  // The credentials are a service account file, which is a JSON object.
  const file = JSON.parse(credentials) as Readonly<Record<string, unknown>>;
  return JSON.stringify({ ...file, token_uri: await startTokenService() });
}
