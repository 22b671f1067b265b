import { normalizeBaseUrl } from "@tocsin/sdk";
import { usageError } from "./command.ts";

/** The URL of the default server, on this machine. */
export const DEFAULT_SERVER_URL = "http://localhost:8080";

/** The secret that is sent to a server, and whether its owner allows plain http: for it. */
export interface SecretTransport {
  /** The name of the secret in the error, such as "the API key". */
  readonly secret: string;
  readonly allowsHttp: boolean;
}

/** Returns the server's URL in normal form; throws a usage error for an invalid one. */
export function parseServerAddress(text: string): string {
  try {
    return normalizeBaseUrl(text);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const form = "an address such as https://push.example.org, without user or query";
    throw usageError(`The server (--url or TOCSIN_URL) must be ${form}.${suggestUrl(text)}`, error);
  }
}

/**
 * Returns the server's URL like `parseServerAddress`. Throws a usage error if the secret would be sent unencrypted,
 * unless that is allowed.
 */
export function parseAddressForSecret(
  text: string,
  { secret, allowsHttp }: SecretTransport,
): string {
  const url = parseServerAddress(text);
  if (allowsHttp || isPrivateConnection(url)) return url;
  const { host } = new URL(url);
  throw usageError(
    `Over http:, everybody on the network path to ${host} can read ${secret}. Give its https: address, or --allow-http where the network is yours.`,
  );
}

/**
 * Returns a sentence that suggests the URL with its scheme, if a host is recognised. Omits the path: it may hold a key.
 */
function suggestUrl(text: string): string {
  const [, host] = /^((?:[a-z0-9-]+\.)*[a-z0-9-]+(?::\d{1,5})?)(?:\/|$)/i.exec(text) ?? [];
  if (host === undefined) return "";
  const isLocal = URL.canParse(`http://${host}`) && isPrivateConnection(`http://${host}`);
  return ` Did you mean ${isLocal ? "http" : "https"}://${host}?`;
}

/**
 * Returns whether the network cannot read traffic to the URL, because it is encrypted or stays on this machine.
 */
function isPrivateConnection(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  if (protocol === "https:") return true;
  // RFC 6761 section 6.3, RFC 1122 section 3.2.1.3 and RFC 4291 section 2.5.3.
  return /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}

/** Returns whether two URLs name the same server; throws a usage error for an invalid one. */
export function isSameServer(first: string, second: string): boolean {
  return parseServerAddress(first) === parseServerAddress(second);
}
