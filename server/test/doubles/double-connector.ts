import { connect as connectTcp } from "node:net";
import { connect } from "node:tls";
import type { buildConnector } from "undici";
import { LOOPBACK } from "./listen.ts";
import type { PushService } from "./push-service.ts";

const CONNECT_TIMEOUT_MS = 20_000;

/** The names, certificate and port of a double. */
export type DoubleAddress = Pick<PushService, "names" | "ca" | "port">;

/**
 * Returns an undici connector that connects host names to the doubles that serve them: `new Agent({ connect: createDoubleConnector(…) })`
 * can post to `https://fcm.googleapis.com/…` unchanged. A double without TLS is reached at its port. Any other name is an
 * error, because tests must not leave this machine.
 */
export function createDoubleConnector(
  ...services: readonly DoubleAddress[]
): buildConnector.connector {
  return ({ hostname, protocol, port: requestedPort }, callback) => {
    const service = services.find(({ names, ca, port }) =>
      ca === null
        ? protocol === "http:" && hostname === LOOPBACK && Number(requestedPort) === port
        : protocol === "https:" && names.includes(hostname),
    );
    if (service === undefined) {
      queueMicrotask(() => callback(new Error(`No double serves ${protocol}//${hostname}.`), null));
      return;
    }
    const { port, ca } = service;
    const socket =
      ca === null
        ? connectTcp({ host: LOOPBACK, port })
        : connect({ host: LOOPBACK, port, ca, servername: hostname });
    const onError = (error: Error): void => callback(error, null);
    socket.once("error", onError);
    socket.setTimeout(CONNECT_TIMEOUT_MS, () =>
      socket.destroy(new Error("The connection timed out.")),
    );
    socket.once(ca === null ? "connect" : "secureConnect", () => {
      socket.off("error", onError);
      socket.setTimeout(0);
      callback(null, socket);
    });
  };
}
