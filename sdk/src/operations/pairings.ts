import { askFor } from "../http.ts";
import type { PairingProof } from "../pairing.ts";
import type { CallOptions } from "../request.ts";
import type { Server } from "../server.ts";
import type { AppApi } from "./app-api.ts";

/** Returns the operations with which a signed-in browser pairs another one; access tokens are refused. */
export function pairingOperations(app: AppApi) {
  return {
    create: (options: CallOptions = {}) =>
      app.post({ ...options, operation: "pairings.create", path: ["pairings"], body: {} }),

    get: (id: string, options: CallOptions = {}) =>
      app.get({ ...options, operation: "pairings.get", path: ["pairings", id] }),

    /** Revokes link and code. */
    remove: (id: string, options: CallOptions = {}) =>
      app.remove({ ...options, operation: "pairings.remove", path: ["pairings", id] }),
  };
}

/** Returns the operation of the browser to be paired. */
export function pairOperations(server: Server) {
  return {
    /** Opens a session. Refused as `expired` for a token or code that was used, is too old or never existed. */
    pair: async (input: PairingProof, options: CallOptions = {}) => {
      const call = { ...options, operation: "pair", method: "POST", body: input } as const;
      const path = ["api", "auth", "pair"];
      return (await askFor(server, { ...call, path, auth: "session" })).body;
    },
  };
}
