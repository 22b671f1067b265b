import { askFor } from "../http.ts";
import type { PairingProof } from "../pairing.ts";
import type { CallOptions } from "../request.ts";
import type { Server } from "../server.ts";
import type { AppApi } from "./app-api.ts";

/** Returns the operations by which a signed-in browser lets another one in; an access token may not. */
export function pairingOperations(app: AppApi) {
  return {
    create: (options: CallOptions = {}) =>
      app.post({ ...options, operation: "pairings.create", path: ["pairings"], body: {} }),

    get: (id: string, options: CallOptions = {}) =>
      app.get({ ...options, operation: "pairings.get", path: ["pairings", id] }),

    /** Makes link and code useless. */
    remove: (id: string, options: CallOptions = {}) =>
      app.remove({ ...options, operation: "pairings.remove", path: ["pairings", id] }),
  };
}

/** Returns the operation of the browser that is let in. */
export function pairOperations(server: Server) {
  return {
    /** Opens a session. Refused as `expired` for what was used, is too old or never was. */
    pair: async (input: PairingProof, options: CallOptions = {}) => {
      const call = { ...options, operation: "pair", method: "POST", body: input } as const;
      const path = ["api", "auth", "pair"];
      return (await askFor(server, { ...call, path, auth: "session" })).body;
    },
  };
}
