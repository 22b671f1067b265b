import { createServer as createPlainServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { generateCertificate } from "../../test/doubles/certificate.ts";
import { listen, LOOPBACK } from "../../test/doubles/listen.ts";

const PORT_FLAG = "--port=";

/** A push service's URL and certificate. */
export interface PushService {
  readonly origin: string;
  /** Its self-signed certificate, in PEM. */
  readonly ca: string;
}

/** The connection handler of a push service, and the names and protocols of its TLS. */
export interface ServeOptions {
  readonly serve: (socket: Socket) => void;
  /** Host names in the certificate, in addition to the address. */
  readonly names?: readonly string[];
  /** ALPN protocols (RFC 7301); not negotiated by default. */
  readonly protocols?: string[];
}

/**
 * Serves this process's push service, with TLS unless its arguments contain `plain`, on the port of `--port=N` or on a
 * free one.
 */
export async function servePushService({
  serve,
  names = [],
  protocols,
}: ServeOptions): Promise<void> {
  const isPlain = process.argv.includes("plain");
  const { key, cert } = generateCertificate([LOOPBACK, ...names]);
  const alpn = protocols === undefined ? {} : { ALPNProtocols: protocols };
  const server = isPlain
    ? createPlainServer(serve)
    : createTlsServer({ key, cert, ...alpn }, serve);
  const portFlag = process.argv.find((arg) => arg.startsWith(PORT_FLAG));
  const port = Number(portFlag?.slice(PORT_FLAG.length) ?? 0);
  const origin = await listenAt(server, isPlain ? "http" : "https", port);
  notifyParent({ origin, ca: cert } satisfies PushService);
}

/** Starts the server on a loopback port, by default a free one, and returns its origin. */
export async function listenAt(
  server: Server,
  scheme: "http" | "https",
  port = 0,
): Promise<string> {
  return `${scheme}://${LOOPBACK}:${await listen(server, port)}`;
}

/** Sends a message to the parent process, and exits when the parent disconnects. */
export function notifyParent(message: Readonly<Record<string, unknown>>): void {
  process.send?.(message);
  process.once("disconnect", () => process.exit(0));
}
