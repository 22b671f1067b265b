import { fetchJson } from "../http.ts";
import type { PairingProof } from "../pairing.ts";
import type { CallOptions } from "../request.ts";
import type { Server } from "../server.ts";
import type { AppApi } from "./app-api.ts";

/** Returns the operations that a signed-in browser needs to pair another browser; access tokens are refused. */
export function createPairingOperations(app: AppApi) {
  return {
    /** Creates a link and a code that sign in one more browser. */
    create: (options: CallOptions = {}) =>
      app.post({ ...options, operation: "pairings.create", path: ["pairings"], body: {} }),

    /** Returns the state of a pairing. */
    get: (id: string, options: CallOptions = {}) =>
      app.get({ ...options, operation: "pairings.get", path: ["pairings", id] }),

    /** Revokes the link and the code. */
    remove: (id: string, options: CallOptions = {}) =>
      app.delete({ ...options, operation: "pairings.remove", path: ["pairings", id] }),
  };
}

/** Returns the operation of the browser that is paired. */
export function createRedeemPairingOperations(server: Server) {
  return {
    /** Opens a session. Rejects with `expired` for a token or code that was used, is too old or never existed. */
    pair: async (input: PairingProof, options: CallOptions = {}) => {
      const call = { ...options, operation: "pair", method: "POST", body: input } as const;
      const path = ["api", "auth", "pair"];
      return (await fetchJson(server, { ...call, path, auth: "session" })).body;
    },
  };
}
