import { createHttp2Client } from "../http2/client.ts";
import type { Http2Client } from "../http2/http2.ts";
import type { ApnsAddress } from "../provider.ts";

/** One of Apple's two environments. An app's build decides which one its device tokens belong to. */
export type ApnsEnvironment = ApnsAddress["environment"];

/** The URLs of Apple's environments, and the dependencies of their clients. */
export interface ApnsEnvironmentDeps {
  /** Apple's production host by default. */
  readonly url?: string;
  /** Apple's sandbox host by default. */
  readonly sandboxUrl?: string;
  readonly now: () => number;
  /** A monotonic clock, in milliseconds. */
  readonly elapsed: () => number;
  /** Returns a random number from 0 up to, but not including, 1. */
  readonly random: () => number;
  /** Certificate authorities in PEM, instead of Node's default ones. */
  readonly ca?: string | undefined;
}

/** Both of Apple's environments. */
export const APNS_ENVIRONMENTS: readonly ApnsEnvironment[] = ["production", "sandbox"];

const APPLE_URLS: Readonly<Record<ApnsEnvironment, string>> = {
  production: "https://api.push.apple.com",
  sandbox: "https://api.sandbox.push.apple.com",
};
const CONNECTIONS_MAX = 2;
const STREAMS_MAX = 500;

/** Returns the URL of an environment. */
export function getEnvironmentUrl(deps: ApnsEnvironmentDeps, environment: ApnsEnvironment): URL {
  const configured = environment === "production" ? deps.url : deps.sandboxUrl;
  return new URL(configured ?? APPLE_URLS[environment]);
}

/**
 * Returns the service name of an environment. The environments are separate services, because they fail independently.
 */
export function getEnvironmentServiceName(environment: ApnsEnvironment): string {
  return `apns ${environment}`;
}

/** Returns a client of one environment for one credential: Apple binds a connection to its first credential. */
export function createEnvironmentClient(
  deps: ApnsEnvironmentDeps,
  environment: ApnsEnvironment,
): Http2Client {
  const { elapsed, random, ca } = deps;
  return createHttp2Client({
    origin: getEnvironmentUrl(deps, environment).origin,
    connectionsMax: CONNECTIONS_MAX,
    streamsMax: STREAMS_MAX,
    elapsed,
    random,
    ca,
  });
}
