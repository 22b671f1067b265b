import { pino } from "pino";
import { createApp } from "#app.ts";
import { readConfig } from "#config/config.ts";

/** The folder, the push services, the clocks and the random source of a throw-away server. */
export interface ThrowAwayServerDeps {
  /** A separate folder, which the caller removes. */
  readonly dataDir: string;
  readonly services: ThrowAwayServices;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** A monotonic clock, in milliseconds. */
  readonly elapsed: () => number;
  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  readonly random: () => number;
}

/** The simulated push services, with the server's credentials for them. */
export interface ThrowAwayServices {
  /** Serves both of Apple's environments. */
  readonly apns: {
    readonly origin: string;
    /** The certificate to trust, PEM. */
    readonly ca: string;
    /** PKCS #8 in PEM. */
    readonly key: string;
    readonly keyId: string;
    readonly teamId: string;
    /** The bundle id of the app. */
    readonly topic: string;
  };
  readonly fcm: {
    readonly origin: string;
    /** Also the audience of the signed tokens. */
    readonly tokenUrl: string;
    /** The certificate to trust, PEM. */
    readonly ca: string;
    /** The key file of a service account, JSON. */
    readonly credentials: string;
  };
  readonly webPush: { readonly origin: string };
}

/** A running throw-away server. */
export interface ThrowAwayServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts a server on a free loopback port, with open sign-up and without logs. Ignores the process's environment. */
export async function startThrowAwayServer(deps: ThrowAwayServerDeps): Promise<ThrowAwayServer> {
  const { dataDir, services, now, elapsed, random } = deps;
  const config = readConfig({
    TOCSIN_PORT: "0",
    TOCSIN_DATA_DIR: dataDir,
    TOCSIN_SIGN_UP: "open",
    ...toEnvironment(services),
  });
  const { apns, fcm } = services;
  const log = pino({ level: "silent" });
  const app = await createApp({
    config,
    log,
    now,
    elapsed,
    random,
    apns: { ca: apns.ca },
    fcm: { ca: fcm.ca },
  });
  try {
    return { url: await app.start(), stop: () => app.stop() };
  } catch (error) {
    await app.stop();
    throw error;
  }
}

/** Returns the environment variables of the services. Sets every URL: the defaults are the vendors' services. */
function toEnvironment({ apns, fcm, webPush }: ThrowAwayServices): Record<string, string> {
  return {
    TOCSIN_APNS_KEY: apns.key,
    TOCSIN_APNS_KEY_ID: apns.keyId,
    TOCSIN_APNS_TEAM_ID: apns.teamId,
    TOCSIN_APNS_TOPIC: apns.topic,
    TOCSIN_APNS_URL: apns.origin,
    TOCSIN_APNS_SANDBOX_URL: apns.origin,
    TOCSIN_FCM_CREDENTIALS: fcm.credentials,
    TOCSIN_FCM_URL: fcm.origin,
    TOCSIN_FCM_TOKEN_URL: fcm.tokenUrl,
    TOCSIN_WEBPUSH_ALLOW_ORIGINS: webPush.origin,
    TOCSIN_VAPID_SUBJECT: "mailto:demo@example.org",
  };
}
