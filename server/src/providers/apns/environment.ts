import { createHttp2Client } from "../http2/client.ts";
import type { Http2Client } from "../http2/http2.ts";
import type { ApnsAddress } from "../provider.ts";

export type ApnsEnvironment = ApnsAddress["environment"];

export interface EnvironmentSettings {
  /** Apple's production host if not given. */
  readonly url?: string;
  /** Apple's sandbox host if not given. */
  readonly sandboxUrl?: string;
  readonly now: () => number;
  /** A monotonic clock, in milliseconds. */
  readonly elapsed: () => number;
  /** At least 0, less than 1. */
  readonly random: () => number;
  /** Certificate authorities in PEM, instead of those that Node trusts. */
  readonly ca?: string | undefined;
}

export const APNS_ENVIRONMENTS: readonly ApnsEnvironment[] = ["production", "sandbox"];

const APPLE_URLS: Readonly<Record<ApnsEnvironment, string>> = {
  production: "https://api.push.apple.com",
  sandbox: "https://api.sandbox.push.apple.com",
};
const MAX_CONNECTIONS = 2;
const MAX_STREAMS = 500;

/** Returns the URL of an environment. */
export function urlOf(settings: EnvironmentSettings, environment: ApnsEnvironment): URL {
  const own = environment === "production" ? settings.url : settings.sandboxUrl;
  return new URL(own ?? APPLE_URLS[environment]);
}

/** Returns the service name of an environment. Each is a service of its own, as their failures are independent. */
export function serviceNameOf(environment: ApnsEnvironment): string {
  return `apns ${environment}`;
}

/** Returns a client of one environment for one credential: Apple binds a connection to the first one that it sees. */
export function openClient(
  settings: EnvironmentSettings,
  environment: ApnsEnvironment,
): Http2Client {
  const { elapsed, random, ca } = settings;
  return createHttp2Client({
    origin: urlOf(settings, environment).origin,
    connectionsMax: MAX_CONNECTIONS,
    streamsMax: MAX_STREAMS,
    elapsed,
    random,
    ca,
  });
}
