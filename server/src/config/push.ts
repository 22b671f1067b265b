import type { KeyObject } from "node:crypto";
import { parseApnsKey } from "#providers/apns/apns-key.ts";
import { parseServiceAccount, type ServiceAccount } from "#providers/fcm/service-account.ts";
import type { EnvironmentReader } from "./environment-reader.ts";

/** The credentials of an app's publisher at Apple: a token key and its owner. */
export interface ApnsConfig {
  readonly key: KeyObject;
  readonly keyId: string;
  readonly teamId: string;
  /** The app's bundle id. */
  readonly topic: string;
  /** Origins of Apple's two environments. */
  readonly url: string;
  readonly sandboxUrl: string;
}

/** The credentials of an app's publisher at Firebase. */
export interface FcmConfig {
  readonly credentials: ServiceAccount;
  /** Origin of the service. */
  readonly url: string;
  /** URL that issues access tokens; never the one in the key file. */
  readonly tokenUrl: string;
}

/** The pattern of a setting, and the fix for a value that does not match it. */
interface SettingRule {
  readonly pattern: RegExp;
  readonly fix: string;
}

const APPLE_ID_PATTERN = /^[A-Za-z0-9]{1,32}$/;
const KEY_ID_RULE: SettingRule = {
  pattern: APPLE_ID_PATTERN,
  fix: "give the 10 characters that Apple shows beside the key, such as 2X9R4HXF34.",
};
const TEAM_ID_RULE: SettingRule = {
  pattern: APPLE_ID_PATTERN,
  fix: "give the 10 characters of the membership page, such as AB12CD34EF.",
};
const TOPIC_RULE: SettingRule = {
  pattern: /^[A-Za-z0-9.-]{1,155}$/,
  fix: "give the app's bundle id, such as org.example.tocsin.",
};

/** Returns the settings of `TOCSIN_APNS_…`; null if no part of the credentials is set. */
export function readApns(reader: EnvironmentReader): ApnsConfig | null {
  const url = reader.readOrigin("TOCSIN_APNS_URL", "https://api.push.apple.com");
  const sandboxUrl = reader.readOrigin(
    "TOCSIN_APNS_SANDBOX_URL",
    "https://api.sandbox.push.apple.com",
  );
  const names = ["KEY", "KEY_ID", "TEAM_ID", "TOPIC"].map((part) => `TOCSIN_APNS_${part}`);
  if (names.every((name) => reader.readText(name) === null)) return null;
  const key = readCredential(reader, "TOCSIN_APNS_KEY", parseApnsKey);
  const keyId = readMatching(reader, "TOCSIN_APNS_KEY_ID", KEY_ID_RULE);
  const teamId = readMatching(reader, "TOCSIN_APNS_TEAM_ID", TEAM_ID_RULE);
  const topic = readMatching(reader, "TOCSIN_APNS_TOPIC", TOPIC_RULE);
  return key === null ? null : { key, keyId, teamId, topic, url, sandboxUrl };
}

/** Returns the settings of `TOCSIN_FCM_…`; null if the credentials are not set. */
export function readFcm(reader: EnvironmentReader): FcmConfig | null {
  const url = reader.readOrigin("TOCSIN_FCM_URL", "https://fcm.googleapis.com");
  const tokenUrl = reader.readUrl("TOCSIN_FCM_TOKEN_URL", "https://oauth2.googleapis.com/token");
  if (reader.readText("TOCSIN_FCM_CREDENTIALS") === null) return null;
  const credentials = readCredential(reader, "TOCSIN_FCM_CREDENTIALS", parseServiceAccount);
  return credentials === null ? null : { credentials, url, tokenUrl };
}

/** Returns a parsed part of the credentials; null if it is invalid, or missing although other parts are set. */
function readCredential<T>(
  reader: EnvironmentReader,
  name: string,
  parse: (text: string) => T,
): T | null {
  const text = reader.readText(name);
  if (text === null) {
    // An unreadable file is reported already.
    const isReported = reader.problems.some((problem) => problem.startsWith(`${name}_FILE:`));
    if (!isReported)
      reader.problems.push(
        `${name}: set it as well, because other parts of the credentials are set.`,
      );
    return null;
  }
  try {
    return parse(text);
  } catch (error) {
    reader.problems.push(`${name}: ${error instanceof Error ? error.message : "cannot be read."}`);
    return null;
  }
}

/** Returns a value, and reports it if it does not match the rule. */
function readMatching(
  reader: EnvironmentReader,
  name: string,
  { pattern, fix }: SettingRule,
): string {
  const text = reader.readText(name) ?? "";
  if (!pattern.test(text)) reader.problems.push(`${name}: ${fix}`);
  return text;
}
