import { serverAddress } from "@tocsin/sdk";
import { usageError } from "./command.ts";

/** The default server: on this machine. */
export const URL_DEFAULT = "http://localhost:8080";

/** The secret sent to a server, and whether its owner accepts that others may read it on the way. */
export interface Transport {
  /** The name of the secret in the error, such as "the API key". */
  readonly secret: string;
  readonly allowsHttp: boolean;
}

/** Returns the server's address in normal form; throws a usage error for one that no server can have. */
export function parseAddress(text: string): string {
  try {
    return serverAddress(text);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const form = "an address such as https://push.example.org, without user or query";
    throw usageError(`The server (--url or TOCSIN_URL) must be ${form}.${meantBy(text)}`, error);
  }
}

/**
 * Returns the server's address, as `parseAddress` does; throws a usage error if others could read the secret on the
 * way, unless that is allowed.
 */
export function addressFor(text: string, { secret, allowsHttp }: Transport): string {
  const url = parseAddress(text);
  if (allowsHttp || isPrivate(url)) return url;
  const { host } = new URL(url);
  throw usageError(
    `Over http:, everybody on the way to ${host} can read ${secret}. Give its https: address, or --allow-http where the network is yours.`,
  );
}

/** Suggests a scheme: leaving it out is the usual mistake. Omits the path, which may contain a key. */
function meantBy(text: string): string {
  const [, host] = /^((?:[a-z0-9-]+\.)*[a-z0-9-]+(?::\d{1,5})?)(?:\/|$)/i.exec(text) ?? [];
  if (host === undefined) return "";
  const isHere = URL.canParse(`http://${host}`) && isPrivate(`http://${host}`);
  return ` Did you mean ${isHere ? "http" : "https"}://${host}?`;
}

/**
 * Returns whether nobody on the way can read traffic to the address: because of TLS, or because it stays on this
 * machine.
 */
function isPrivate(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  if (protocol === "https:") return true;
  // RFC 6761 section 6.3, RFC 1122 section 3.2.1.3 and RFC 4291 section 2.5.3.
  return /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}

/** Returns whether two addresses name the same server; throws a usage error for one that no server can have. */
export function isSameServer(one: string, other: string): boolean {
  return parseAddress(one) === parseAddress(other);
}
