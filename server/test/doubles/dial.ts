import { connect as connectPlainly } from "node:net";
import { connect } from "node:tls";
import type { buildConnector } from "undici";
import { LOOPBACK } from "./listen.ts";
import type { PushService } from "./push-service.ts";

const CONNECT_TIMEOUT_MS = 20_000;

/** Where a double is, and under which names. */
export type Dialled = Pick<PushService, "names" | "ca" | "port">;

/**
 * Returns what opens undici's connections to the doubles by the names they serve: `new Agent({ connect: dialTo(…) })`
 * posts to `https://fcm.googleapis.com/…` as it stands; a double without TLS is reached at its port. Any other name is an
 * error: no test leaves this machine.
 */
export function dialTo(...services: readonly Dialled[]): buildConnector.connector {
  return ({ hostname, protocol, port: asked }, callback) => {
    const service = services.find(({ names, ca, port }) =>
      ca === null
        ? protocol === "http:" && hostname === LOOPBACK && Number(asked) === port
        : protocol === "https:" && names.includes(hostname),
    );
    if (service === undefined) {
      queueMicrotask(() => callback(new Error(`No double serves ${protocol}//${hostname}.`), null));
      return;
    }
    const { port, ca } = service;
    const socket =
      ca === null
        ? connectPlainly({ host: LOOPBACK, port })
        : connect({ host: LOOPBACK, port, ca, servername: hostname });
    const onError = (error: Error): void => callback(error, null);
    socket.once("error", onError);
    socket.setTimeout(CONNECT_TIMEOUT_MS, () => socket.destroy(new Error("No answer in time.")));
    socket.once(ca === null ? "connect" : "secureConnect", () => {
      socket.off("error", onError);
      socket.setTimeout(0);
      callback(null, socket);
    });
  };
}
