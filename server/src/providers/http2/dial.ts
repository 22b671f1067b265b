import { connect as connectPlain, isIP, type Socket } from "node:net";
import { TLSSocket, connect as connectTls } from "node:tls";

/** The name of HTTP/2 in ALPN (RFC 9113 section 3.2). */
const ALPN_PROTOCOL = "h2";

/**
 * Opens a new connection to the origin, with a new DNS lookup, and returns the socket immediately. `http:` means HTTP/2
 * by prior knowledge (RFC 9113 section 3.3). `ca` is in PEM and replaces Node's default authorities.
 */
export function dial(origin: URL, ca: string | undefined): Socket {
  const host = origin.hostname.replace(/^\[(.*)\]$/u, "$1");
  if (origin.protocol === "http:") {
    return connectPlain({ host, port: Number(origin.port || 80) });
  }
  return connectTls({
    host,
    port: Number(origin.port || 443),
    ALPNProtocols: [ALPN_PROTOCOL],
    // NODE_TLS_REJECT_UNAUTHORIZED must not decide this: requests contain credentials.
    rejectUnauthorized: true,
    // A server name must not be an IP address (RFC 6066 section 3).
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(ca === undefined ? {} : { ca }),
  });
}

/** Returns whether the server agreed to HTTP/2 (RFC 9113 section 3.2). Node does not check this. */
export function hasAgreedToHttp2(socket: Socket): boolean {
  return !(socket instanceof TLSSocket) || socket.alpnProtocol === ALPN_PROTOCOL;
}
