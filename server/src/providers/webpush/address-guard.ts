import { Resolver } from "node:dns/promises";
import { isIP } from "node:net";
import type { LookupFunction } from "node:net";
import { callbackify } from "node:util";
import { buildConnector } from "undici";
import { isDeniedAddress } from "./denied-address.ts";
import { isExempt } from "./endpoint-policy.ts";
import type { EndpointPolicy } from "./endpoint-policy.ts";

/** Returns all IPv4 and IPv6 addresses of a host name; rejects if it has none. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

export interface GuardSettings {
  readonly policy: EndpointPolicy;
  readonly resolve?: Resolve | undefined;
  /** Returns whether an address is refused; `isDeniedAddress` unless a test uses loopback for a public address. */
  readonly isDenied?: ((address: string) => boolean) | undefined;
  /** Certificate authorities in PEM, instead of those that Node trusts. */
  readonly ca?: string | undefined;
}

/** No connection was opened, because the host has an address inside our own network. */
export class AddressNotAllowedError extends Error {
  override readonly name = "AddressNotAllowedError";
}

const CONNECT_TIMEOUT_MS = 5_000;
const DNS_TIMEOUT_MS = 1_500;
const DNS_TRIES = 2;
/** The socket tries so many addresses in order; all addresses are checked. */
const MAX_ADDRESSES_TRIED = 6;

/**
 * Returns a connector for undici. It resolves a host itself, refuses it if any address is denied, and lets the socket
 * connect only to the checked addresses, so that a second DNS answer changes nothing.
 */
export function createGuardedConnector(settings: GuardSettings): buildConnector.connector {
  const { policy, ca } = settings;
  const isDenied = settings.isDenied ?? isDeniedAddress;
  const resolve = settings.resolve ?? resolveAll;
  const options = {
    timeout: CONNECT_TIMEOUT_MS,
    allowH2: true,
    // Not left to NODE_TLS_REJECT_UNAUTHORIZED.
    rejectUnauthorized: true,
    ...(ca === undefined ? {} : { ca }),
  };
  const exempt = buildConnector(options);
  const guarded = buildConnector({ ...options, lookup: guardLookup(resolve, isDenied) });

  return (target, callback) => {
    if (isExempt(policy, originOf(target))) {
      exempt(target, callback);
      return;
    }
    // Node resolves no IP literal, so the guard's lookup would not be called.
    if (isIP(target.hostname) !== 0) {
      queueMicrotask(() => callback(notAllowed(), null));
      return;
    }
    guarded(target, (...[error, socket]) => {
      if (error !== null) {
        callback(error, null);
        return;
      }
      if (isDenied(socket.remoteAddress ?? "")) {
        socket.destroy();
        callback(notAllowed(), null);
        return;
      }
      callback(null, socket);
    });
  };
}

/** Returns a `lookup` for sockets that answers with checked addresses or with an error. */
export function guardLookup(
  resolve: Resolve,
  isDenied: (address: string) => boolean,
): LookupFunction {
  return (hostname, options, callback) => {
    callbackify(checkedAddresses)(hostname, (error, found) => {
      if (error) callback(error, "");
      else if (options.all === true) callback(null, found);
      else callback(null, found[0]?.address ?? "", found[0]?.family);
    });
  };

  async function checkedAddresses(hostname: string) {
    const addresses = await resolve(hostname);
    if (addresses.length === 0) throw new Error("The host name has no address.");
    if (addresses.some(isDenied)) throw notAllowed();
    return addresses
      .slice(0, MAX_ADDRESSES_TRIED)
      .map((address) => ({ address, family: isIP(address) }));
  }
}

/**
 * Asks the name servers directly. `getaddrinfo` would occupy one of the process's few worker threads for as long as an
 * unknown name server takes.
 */
async function resolveAll(hostname: string): Promise<readonly string[]> {
  // A new one each time, because a resolver reads the machine's name servers only once.
  const resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: DNS_TRIES });
  const [v4, v6] = await Promise.allSettled([
    resolver.resolve4(hostname),
    resolver.resolve6(hostname),
  ]);
  if (v4.status === "rejected" && v6.status === "rejected") {
    throw new Error("The host name has no address.", { cause: v4.reason });
  }
  return [...addressesOf(v4), ...addressesOf(v6)];
}

function addressesOf(answer: PromiseSettledResult<readonly string[]>): readonly string[] {
  return answer.status === "fulfilled" ? answer.value : [];
}

function originOf({ protocol, host, hostname }: buildConnector.Options): string {
  return new URL(`${protocol}//${host ?? hostname}`).origin;
}

function notAllowed(): AddressNotAllowedError {
  return new AddressNotAllowedError("The host has an address that is not public.");
}
