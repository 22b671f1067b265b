import { Resolver } from "node:dns/promises";
import { isIP, type LookupFunction } from "node:net";
import { callbackify } from "node:util";
import { buildConnector } from "undici";
import { isDeniedAddress } from "./denied-address.ts";

/** A function that resolves with all IPv4 and IPv6 addresses of a host name, and rejects if there are none. */
export type ResolveHost = (hostname: string) => Promise<readonly string[]>;

/** The dependencies of the connector that keeps requests out of our own network. */
export interface AddressGuardDeps {
  readonly policy: {
    /** Origins exempt from the guard, in the form of `URL.origin`. */
    readonly allowOrigins: readonly string[];
  };
  readonly resolve?: ResolveHost | undefined;
  /**
   * Returns whether an IP address is denied. Defaults to `isDeniedAddress`; tests that use loopback as a public address
   * replace it.
   */
  readonly isDenied?: ((address: string) => boolean) | undefined;
  /** Certificate authorities in PEM, in place of Node's. */
  readonly ca?: string | undefined;
}

/**
 * The error of a connection that was not opened, or not used, because the host is an IP address or has an address that
 * is not public.
 */
export class AddressNotAllowedError extends Error {
  override readonly name = "AddressNotAllowedError";
}

const CONNECT_TIMEOUT_MS = 5_000;
const DNS_TIMEOUT_MS = 1_500;
const DNS_TRIES = 2;
/** The largest number of addresses that the socket tries, in order. All addresses are checked. */
const TRIED_ADDRESSES_MAX = 6;

/**
 * Returns an undici connector that resolves a host itself, refuses it if any address is denied, and connects only to
 * the checked addresses. A second DNS answer therefore changes nothing. The origins of `allowOrigins` are not checked.
 */
export function createGuardedConnector(deps: AddressGuardDeps): buildConnector.connector {
  const { policy, ca } = deps;
  const isDenied = deps.isDenied ?? isDeniedAddress;
  const resolve = deps.resolve ?? resolveHost;
  const options = {
    timeout: CONNECT_TIMEOUT_MS,
    allowH2: true,
    // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED has no effect.
    rejectUnauthorized: true,
    ...(ca === undefined ? {} : { ca }),
  };
  const connectUnguarded = buildConnector(options);
  const connectGuarded = buildConnector({
    ...options,
    lookup: createGuardedLookup(resolve, isDenied),
  });

  return (target, callback) => {
    if (policy.allowOrigins.includes(toOrigin(target))) {
      connectUnguarded(target, callback);
      return;
    }
    // Node does not look up an IP literal, so it would bypass the guard's lookup.
    if (isIP(target.hostname) !== 0) {
      queueMicrotask(() => callback(createNotAllowedError(), null));
      return;
    }
    connectGuarded(target, (...[error, socket]) => {
      if (error !== null) {
        callback(error, null);
        return;
      }
      if (isDenied(socket.remoteAddress ?? "")) {
        socket.destroy();
        callback(createNotAllowedError(), null);
        return;
      }
      callback(null, socket);
    });
  };
}

/** Returns a `lookup` for sockets that yields only checked addresses, or an error. */
export function createGuardedLookup(
  resolve: ResolveHost,
  isDenied: (address: string) => boolean,
): LookupFunction {
  return (hostname, options, callback) => {
    callbackify(resolveChecked)(hostname, (error, checked) => {
      if (error) callback(error, "");
      else if (options.all === true) callback(null, checked);
      else callback(null, checked[0]?.address ?? "", checked[0]?.family);
    });
  };

  async function resolveChecked(hostname: string) {
    const addresses = await resolve(hostname);
    if (addresses.length === 0) throw new Error("The host name has no address.");
    if (addresses.some(isDenied)) throw createNotAllowedError();
    return addresses
      .slice(0, TRIED_ADDRESSES_MAX)
      .map((address) => ({ address, family: isIP(address) }));
  }
}

/**
 * Queries the name servers directly. `getaddrinfo` would occupy one of the few worker threads until an unknown name
 * server answers.
 */
async function resolveHost(hostname: string): Promise<readonly string[]> {
  // A new resolver each time, because a resolver reads the machine's name servers only once.
  const resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: DNS_TRIES });
  const [v4, v6] = await Promise.allSettled([
    resolver.resolve4(hostname),
    resolver.resolve6(hostname),
  ]);
  if (v4.status === "rejected" && v6.status === "rejected") {
    throw new Error("The host name has no address.", { cause: v4.reason });
  }
  return [...getAddresses(v4), ...getAddresses(v6)];
}

function getAddresses(result: PromiseSettledResult<readonly string[]>): readonly string[] {
  return result.status === "fulfilled" ? result.value : [];
}

function toOrigin({ protocol, host, hostname }: buildConnector.Options): string {
  return new URL(`${protocol}//${host ?? hostname}`).origin;
}

function createNotAllowedError(): AddressNotAllowedError {
  return new AddressNotAllowedError("The host has an address that is not public.");
}
