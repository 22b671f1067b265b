import { createServer as createPlainServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { makeCertificate } from "../../test/doubles/certificate.ts";
import { listen, LOOPBACK } from "../../test/doubles/listen.ts";

/** A push service, as its senders know it. */
export interface PushService {
  readonly origin: string;
  /** Its self-signed certificate, in PEM. */
  readonly ca: string;
}

export interface ServingOptions {
  readonly serve: (socket: Socket) => void;
  /** Further names in its certificate, beside its address. */
  readonly names?: readonly string[];
  /** Its protocols, by the names of ALPN (RFC 7301); not negotiated by default. */
  readonly protocols?: string[];
}

/** Serves connections as this process's push service, over TLS unless its arguments contain `plain`. */
export async function servePushes({ serve, names = [], protocols }: ServingOptions): Promise<void> {
  const isPlain = process.argv.includes("plain");
  const { key, cert } = makeCertificate([LOOPBACK, ...names]);
  const alpn = protocols === undefined ? {} : { ALPNProtocols: protocols };
  const server = isPlain
    ? createPlainServer(serve)
    : createTlsServer({ key, cert, ...alpn }, serve);
  const origin = await openOrigin(server, isPlain ? "http" : "https");
  tellStarter({ origin, ca: cert } satisfies PushService);
}

/** Opens the server on a free port of the loopback address and returns its origin. */
export async function openOrigin(server: Server, scheme: "http" | "https"): Promise<string> {
  return `${scheme}://${LOOPBACK}:${await listen(server)}`;
}

/** Sends facts to the process that started this one, and ends with it. */
export function tellStarter(facts: Readonly<Record<string, unknown>>): void {
  process.send?.(facts);
  process.once("disconnect", () => process.exit(0));
}
