import tls from "node:tls";
import type { ConnectionOptions, TLSSocket } from "node:tls";
import type { TestContext } from "node:test";
import { LOOPBACK } from "../listen.ts";
import { GOOGLE_HOSTS } from "./fcm-service.ts";
import type { FcmService } from "./fcm-service.ts";

/**
 * Leads every TLS connection of this process that is meant for Google to the double until the test ends, and lets none
 * go elsewhere: libraries that cannot be told another address reach it by the names they know.
 */
export function dialGoogle(t: TestContext, service: FcmService): void {
  const connect = tls.connect;
  t.mock.method(tls, "connect", (...args: readonly unknown[]): TLSSocket => {
    const options = readOptions(args);
    const { host = "" } = options;
    const names: readonly string[] = Object.values(GOOGLE_HOSTS);
    if (!names.includes(host)) throw new Error(`No test leaves this machine: ${host}.`);
    const here = { host: LOOPBACK, port: service.front.port, ca: service.ca, servername: host };
    return connect({ ...options, ...here });
  });
}

/** `https` passes options alone; `http2` passes port, host and options. */
function readOptions(args: readonly unknown[]): ConnectionOptions {
  const [first, host] = args;
  const options = args.find((arg) => typeof arg === "object" && arg !== null) ?? {};
  return typeof first === "object" ? options : { ...options, host: String(host) };
}
