import type { KeyObject } from "node:crypto";
import { parseApnsKey } from "#providers/apns/apns-key.ts";
import { parseServiceAccount, type ServiceAccount } from "#providers/fcm/service-account.ts";
import type { EnvironmentReader } from "./environment-reader.ts";

/** Credentials of an app's publisher at Apple: a token key, and its owner. */
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

/** Credentials of an app's publisher at Firebase. */
export interface FcmConfig {
  readonly credentials: ServiceAccount;
  /** Origin of the service. */
  readonly url: string;
  /** Address that mints access tokens; never the one in the key file. */
  readonly tokenUrl: string;
}

/** The form of a setting, and the fix for any other. */
interface SettingRule {
  readonly form: RegExp;
  readonly mend: string;
}

const APPLE_ID = /^[A-Za-z0-9]{1,32}$/;
const KEY_ID: SettingRule = {
  form: APPLE_ID,
  mend: "give the 10 characters that Apple shows beside the key, such as 2X9R4HXF34.",
};
const TEAM_ID: SettingRule = {
  form: APPLE_ID,
  mend: "give the 10 characters of the membership page, such as AB12CD34EF.",
};
const TOPIC: SettingRule = {
  form: /^[A-Za-z0-9.-]{1,155}$/,
  mend: "give the app's bundle id, such as org.example.tocsin.",
};

/** Returns the settings of `TOCSIN_APNS_…`; null if no part of the credentials is set. */
export function readApns(read: EnvironmentReader): ApnsConfig | null {
  const url = read.origin("TOCSIN_APNS_URL", "https://api.push.apple.com");
  const sandboxUrl = read.origin("TOCSIN_APNS_SANDBOX_URL", "https://api.sandbox.push.apple.com");
  const names = ["KEY", "KEY_ID", "TEAM_ID", "TOPIC"].map((part) => `TOCSIN_APNS_${part}`);
  if (names.every((name) => read.text(name) === null)) return null;
  const key = parsed(read, "TOCSIN_APNS_KEY", parseApnsKey);
  const keyId = formed(read, "TOCSIN_APNS_KEY_ID", KEY_ID);
  const teamId = formed(read, "TOCSIN_APNS_TEAM_ID", TEAM_ID);
  const topic = formed(read, "TOCSIN_APNS_TOPIC", TOPIC);
  return key === null ? null : { key, keyId, teamId, topic, url, sandboxUrl };
}

/** Returns the settings of `TOCSIN_FCM_…`; null if the credentials are not set. */
export function readFcm(read: EnvironmentReader): FcmConfig | null {
  const url = read.origin("TOCSIN_FCM_URL", "https://fcm.googleapis.com");
  const tokenUrl = read.address("TOCSIN_FCM_TOKEN_URL", "https://oauth2.googleapis.com/token");
  if (read.text("TOCSIN_FCM_CREDENTIALS") === null) return null;
  const credentials = parsed(read, "TOCSIN_FCM_CREDENTIALS", parseServiceAccount);
  return credentials === null ? null : { credentials, url, tokenUrl };
}

/** Reads a part of credentials. A missing part is a mistake, not a wish to do without. */
function parsed<T>(read: EnvironmentReader, name: string, parse: (text: string) => T): T | null {
  const text = read.text(name);
  if (text === null) {
    // An unreadable file is reported already.
    const isTold = read.problems.some((problem) => problem.startsWith(`${name}_FILE:`));
    if (!isTold) read.problems.push(`${name}: is missing; the rest of the credentials is there.`);
    return null;
  }
  try {
    return parse(text);
  } catch (error) {
    read.problems.push(`${name}: ${error instanceof Error ? error.message : "cannot be read."}`);
    return null;
  }
}

function formed(read: EnvironmentReader, name: string, { form, mend }: SettingRule): string {
  const text = read.text(name) ?? "";
  if (!form.test(text)) read.problems.push(`${name}: ${mend}`);
  return text;
}
