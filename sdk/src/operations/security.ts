import type { AuditQuery } from "../audit.ts";
import { open } from "../http.ts";
import type { PageQuery } from "../page.ts";
import type { CallOptions } from "../request.ts";
import type {
  AccountChange,
  EmailChange,
  NewPasskey,
  PasskeyChange,
  PasswordAgain,
  TwoFactorCode,
} from "../security.ts";
import type { Server } from "../server.ts";
import type { AppApi } from "./app-api.ts";

/** Returns the operations on one's own account as a whole. */
export function profileOperations(server: Server, app: AppApi) {
  return {
    update: (input: AccountChange, options: CallOptions = {}) =>
      app.patch({ ...options, operation: "profile.update", path: ["me"], body: input }),

    /** Mails a link to the new address; until it is opened, the old one stays in effect. */
    changeEmail: (input: EmailChange, options: CallOptions = {}) =>
      app.tell({
        ...options,
        operation: "profile.changeEmail",
        path: ["me", "email"],
        body: input,
      }),

    /** Mails the link that confirms the account's address again; does nothing if it is confirmed. */
    sendVerification: (options: CallOptions = {}) =>
      app.tell({
        ...options,
        operation: "profile.sendVerification",
        path: ["me", "verification"],
      }),

    /** Returns how the account can sign in. */
    security: (options: CallOptions = {}) =>
      app.get({ ...options, operation: "profile.security", path: ["me", "security"] }),

    /** Returns the events that the account caused or was affected by, newest first. */
    audit: (query: AuditQuery = {}, options: CallOptions = {}) =>
      app.get({ ...options, operation: "profile.audit", path: ["me", "audit"], query }),

    /** Returns the whole account as the bytes of one JSON document; only the signal ends the reading. */
    export: async ({ signal }: CallOptions = {}): Promise<ReadableStream<Uint8Array>> => {
      const path = ["api", "app", "v1", "me", "export"];
      const call = { operation: "profile.export", method: "GET", path, auth: "account" } as const;
      const { body } = await open(server, call, signal ?? new AbortController().signal);
      return body ?? new ReadableStream({ start: (stream) => stream.close() });
    },

    /** Deletes the account permanently. Refused as `last_owner` for the only owner of a team. */
    delete: async (input: PasswordAgain = {}, options: CallOptions = {}) => {
      await app.tell({
        ...options,
        operation: "profile.delete",
        path: ["me", "delete"],
        body: input,
      });
      server.session.clear();
    },
  };
}

/** Returns the operations that turn two-factor sign-in on and off. */
export function twoFactorOperations(app: AppApi) {
  const path = ["me", "two-factor"];
  return {
    /** Creates the secrets, which only this answer shows; `confirm` puts them into effect. */
    begin: (input: PasswordAgain = {}, options: CallOptions = {}) =>
      app.post({ ...options, operation: "twoFactor.begin", path, body: input }),

    /** Turns two-factor sign-in on, with the first code. */
    confirm: (input: TwoFactorCode, options: CallOptions = {}) =>
      app.tell({
        ...options,
        operation: "twoFactor.confirm",
        path: [...path, "confirm"],
        body: input,
      }),

    /** Creates new backup codes, which replace all others. */
    renewBackupCodes: (input: PasswordAgain = {}, options: CallOptions = {}) =>
      app.post({
        ...options,
        operation: "twoFactor.renewBackupCodes",
        path: [...path, "backup-codes"],
        body: input,
      }),

    /** Turns two-factor sign-in off. */
    end: (input: PasswordAgain = {}, options: CallOptions = {}) =>
      app.tell({ ...options, operation: "twoFactor.end", path: [...path, "end"], body: input }),
  };
}

/** Returns the operations on one's own sessions. */
export function accountSessionOperations(app: AppApi) {
  return {
    list: (query: PageQuery = {}, options: CallOptions = {}) =>
      app.get({ ...options, operation: "sessions.list", path: ["sessions"], query }),

    /** Ends a session. */
    remove: (id: string, options: CallOptions = {}) =>
      app.remove({ ...options, operation: "sessions.remove", path: ["sessions", id] }),

    /** Ends every session but this one. */
    endOthers: (options: CallOptions = {}) =>
      app.tell({ ...options, operation: "sessions.endOthers", path: ["sessions", "end-others"] }),
  };
}

/** Returns the operations on passkeys. */
export function passkeyOperations(app: AppApi) {
  return {
    list: (query: PageQuery = {}, options: CallOptions = {}) =>
      app.get({ ...options, operation: "passkeys.list", path: ["passkeys"], query }),

    /** Returns the options from which a browser creates a passkey. */
    options: (input: PasswordAgain = {}, options: CallOptions = {}) =>
      app.post({
        ...options,
        operation: "passkeys.options",
        path: ["passkeys", "options"],
        body: input,
      }),

    create: (input: NewPasskey, options: CallOptions = {}) =>
      app.post({ ...options, operation: "passkeys.create", path: ["passkeys"], body: input }),

    update: (id: string, input: PasskeyChange, options: CallOptions = {}) =>
      app.patch({ ...options, operation: "passkeys.update", path: ["passkeys", id], body: input }),

    remove: (id: string, options: CallOptions = {}) =>
      app.remove({ ...options, operation: "passkeys.remove", path: ["passkeys", id] }),
  };
}
