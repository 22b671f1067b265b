import { connect as connectPlain, isIP } from "node:net";
import type { Socket } from "node:net";
import { TLSSocket, connect as connectTls } from "node:tls";

const PROTOCOL = "h2";

/**
 * Starts a connection of its own to the origin, its name looked up anew, and returns the socket at once. `http:` means
 * HTTP/2 by prior knowledge (RFC 9113 section 3.3). `ca` is PEM and stands in for the authorities that Node trusts.
 */
export function dial(origin: URL, ca: string | undefined): Socket {
  const host = origin.hostname.replace(/^\[(.*)\]$/u, "$1");
  if (origin.protocol === "http:") {
    return connectPlain({ host, port: Number(origin.port || 80) });
  }
  return connectTls({
    host,
    port: Number(origin.port || 443),
    ALPNProtocols: [PROTOCOL],
    // Whatever the environment says: credentials go over this connection.
    rejectUnauthorized: true,
    // An address is no server name (RFC 6066 section 3).
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(ca === undefined ? {} : { ca }),
  });
}

/** Returns whether the far side agreed to speak HTTP/2 (RFC 9113 section 3.2); Node itself does not look. */
export function speaksHttp2(socket: Socket): boolean {
  return !(socket instanceof TLSSocket) || socket.alpnProtocol === PROTOCOL;
}
