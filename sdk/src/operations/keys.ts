import type { ApiKeyChange, KeyRotation, NewApiKey } from "../key.ts";
import type { PageQuery } from "../page.ts";
import type { CallOptions } from "../request.ts";
import type { AppApi } from "./app-api.ts";

/** Returns the operations on the API keys of the account and of the teams that it manages. */
export function createKeyOperations(app: AppApi) {
  return {
    /** Returns the API keys, in pages. */
    list: (query: PageQuery = {}, options: CallOptions = {}) =>
      app.get({ ...options, operation: "keys.list", path: ["keys"], query }),

    /** Creates an API key; only this response contains it. */
    create: (input: NewApiKey, options: CallOptions = {}) =>
      app.post({ ...options, operation: "keys.create", path: ["keys"], body: input }),

    /** Changes the label of an API key, whether it refuses GET, its escalation policy or its channel. */
    update: (id: string, input: ApiKeyChange, options: CallOptions = {}) =>
      app.patch({ ...options, operation: "keys.update", path: ["keys", id], body: input }),

    /** Replaces an API key; the old key stays valid for `overlapSeconds`. */
    rotate: (id: string, input: KeyRotation = {}, options: CallOptions = {}) =>
      app.post({ ...options, operation: "keys.rotate", path: ["keys", id, "rotate"], body: input }),

    /**
     * Creates a secret that signs the callbacks of an API key and of the keys that replace it. The previous secret stays
     * valid for a day.
     */
    createCallbackSecret: (id: string, options: CallOptions = {}) =>
      app.post({
        ...options,
        operation: "keys.createCallbackSecret",
        path: ["keys", id, "callback-secret"],
      }),

    /** Returns the APIs of other services that the server speaks. A key can be created for the programs of each. */
    dialects: (options: CallOptions = {}) =>
      app.get({ ...options, operation: "keys.dialects", path: ["dialects"] }),

    /** Revokes an API key. */
    remove: (id: string, options: CallOptions = {}) =>
      app.delete({ ...options, operation: "keys.remove", path: ["keys", id] }),
  };
}
