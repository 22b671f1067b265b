import tls, { type ConnectionOptions, type TLSSocket } from "node:tls";
import type { TestContext } from "node:test";
import { LOOPBACK } from "../listen.ts";
import { GOOGLE_HOSTS, type FcmService } from "./fcm-service.ts";

/**
 * Redirects this process's TLS connections from Google to the double until the test ends, for libraries without a
 * configurable URL. Any other host is an error.
 */
export function redirectGoogleConnections(t: TestContext, service: FcmService): void {
  const connect = tls.connect;
  t.mock.method(tls, "connect", (...args: readonly unknown[]): TLSSocket => {
    const options = readOptions(args);
    const { host = "" } = options;
    const names: readonly string[] = Object.values(GOOGLE_HOSTS);
    if (!names.includes(host)) throw new Error(`Tests must not leave this machine: ${host}.`);
    const target = {
      host: LOOPBACK,
      port: service.frontEnd.port,
      ca: service.ca,
      servername: host,
    };
    return connect({ ...options, ...target });
  });
}

/** Returns the options of a call: `https` passes only options, and `http2` passes port, host and options. */
function readOptions(args: readonly unknown[]): ConnectionOptions {
  const [optionsOrPort, host] = args;
  const options = args.find((arg) => typeof arg === "object" && arg !== null) ?? {};
  return typeof optionsOrPort === "object" ? options : { ...options, host: String(host) };
}
