import { createHttp2Client } from "../http2/client.ts";
import type { Http2Client } from "../http2/http2.ts";
import type { ApnsAddress } from "../provider.ts";

export type ApnsEnvironment = ApnsAddress["environment"];

export interface EnvironmentSettings {
  /** Apple's production host by default. */
  readonly url?: string;
  /** Apple's sandbox host by default. */
  readonly sandboxUrl?: string;
  readonly now: () => number;
  /** A monotonic clock, in milliseconds. */
  readonly elapsed: () => number;
  /** At least 0, less than 1. */
  readonly random: () => number;
  /** Certificate authorities in PEM, instead of Node's default ones. */
  readonly ca?: string | undefined;
}

export const APNS_ENVIRONMENTS: readonly ApnsEnvironment[] = ["production", "sandbox"];

const APPLE_URLS: Readonly<Record<ApnsEnvironment, string>> = {
  production: "https://api.push.apple.com",
  sandbox: "https://api.sandbox.push.apple.com",
};
const CONNECTIONS_MAX = 2;
const STREAMS_MAX = 500;

/** Returns the URL of an environment. */
export function urlOf(settings: EnvironmentSettings, environment: ApnsEnvironment): URL {
  const configured = environment === "production" ? settings.url : settings.sandboxUrl;
  return new URL(configured ?? APPLE_URLS[environment]);
}

/** Returns the service name of an environment. Each one is a separate service, because they fail independently. */
export function serviceNameOf(environment: ApnsEnvironment): string {
  return `apns ${environment}`;
}

/** Returns a client of one environment for one credential: Apple binds a connection to its first credential. */
export function openClient(
  settings: EnvironmentSettings,
  environment: ApnsEnvironment,
): Http2Client {
  const { elapsed, random, ca } = settings;
  return createHttp2Client({
    origin: urlOf(settings, environment).origin,
    connectionsMax: CONNECTIONS_MAX,
    streamsMax: STREAMS_MAX,
    elapsed,
    random,
    ca,
  });
}
