import type { AuditQuery } from "../audit.ts";
import { openResponse } from "../http.ts";
import type { PageQuery } from "../page.ts";
import type { CallOptions } from "../request.ts";
import type {
  AccountChange,
  EmailChange,
  NewPasskey,
  PasskeyChange,
  PasswordConfirmation,
  TwoFactorCode,
} from "../security.ts";
import type { Server } from "../server.ts";
import type { AppApi } from "./app-api.ts";

/** Returns the operations on the account as a whole. */
export function createProfileOperations(server: Server, app: AppApi) {
  return {
    /** Renames the account. */
    update: (input: AccountChange, options: CallOptions = {}) =>
      app.patch({ ...options, operation: "profile.update", path: ["me"], body: input }),

    /**
     * Emails a link to the new address; until the link is opened, the old address stays in effect. Needs the password,
     * except within ten minutes of a sign-in.
     */
    changeEmail: (input: EmailChange, options: CallOptions = {}) =>
      app.postWithoutResponse({
        ...options,
        operation: "profile.changeEmail",
        path: ["me", "email"],
        body: input,
      }),

    /** Emails the verification link for the account's address again; does nothing if the address is verified. */
    sendVerification: (options: CallOptions = {}) =>
      app.postWithoutResponse({
        ...options,
        operation: "profile.sendVerification",
        path: ["me", "verification"],
      }),

    /** Returns the sign-in settings of the account. */
    security: (options: CallOptions = {}) =>
      app.get({ ...options, operation: "profile.security", path: ["me", "security"] }),

    /** Returns the events that the account caused or was affected by, newest first. */
    audit: (query: AuditQuery = {}, options: CallOptions = {}) =>
      app.get({ ...options, operation: "profile.audit", path: ["me", "audit"], query }),

    /** Returns the whole account as the bytes of one JSON document; only the signal limits the time to read it. */
    export: async ({ signal }: CallOptions = {}): Promise<ReadableStream<Uint8Array>> => {
      const path = ["api", "app", "v1", "me", "export"];
      const call = { operation: "profile.export", method: "GET", path, auth: "account" } as const;
      const { body } = await openResponse(server, call, signal ?? new AbortController().signal);
      return body ?? new ReadableStream({ start: (stream) => stream.close() });
    },

    /**
     * Deletes the account permanently. Needs the password, except within ten minutes of a sign-in. Rejects with
     * `last_owner` for the only owner of a team.
     */
    delete: async (input: PasswordConfirmation = {}, options: CallOptions = {}) => {
      await app.postWithoutResponse({
        ...options,
        operation: "profile.delete",
        path: ["me", "delete"],
        body: input,
      });
      server.cookieJar.clear();
    },
  };
}

/**
 * Returns the operations that turn two-factor sign-in on and off. All but `confirm` need the password; an account without
 * a password needs a sign-in in the last ten minutes instead.
 */
export function createTwoFactorOperations(app: AppApi) {
  const path = ["me", "two-factor"];
  return {
    /** Creates the secrets, which only this response contains; `confirm` puts them into effect. */
    begin: (input: PasswordConfirmation = {}, options: CallOptions = {}) =>
      app.post({ ...options, operation: "twoFactor.begin", path, body: input }),

    /** Turns two-factor sign-in on with the first code. */
    confirm: (input: TwoFactorCode, options: CallOptions = {}) =>
      app.postWithoutResponse({
        ...options,
        operation: "twoFactor.confirm",
        path: [...path, "confirm"],
        body: input,
      }),

    /** Creates new backup codes, which replace the old ones. */
    renewBackupCodes: (input: PasswordConfirmation = {}, options: CallOptions = {}) =>
      app.post({
        ...options,
        operation: "twoFactor.renewBackupCodes",
        path: [...path, "backup-codes"],
        body: input,
      }),

    /** Turns two-factor sign-in off. */
    end: (input: PasswordConfirmation = {}, options: CallOptions = {}) =>
      app.postWithoutResponse({
        ...options,
        operation: "twoFactor.end",
        path: [...path, "end"],
        body: input,
      }),
  };
}

/** Returns the operations on the account's sessions. */
export function createAccountSessionOperations(app: AppApi) {
  return {
    /** Returns the sessions of the account, in pages. */
    list: (query: PageQuery = {}, options: CallOptions = {}) =>
      app.get({ ...options, operation: "sessions.list", path: ["sessions"], query }),

    /** Ends a session. */
    remove: (id: string, options: CallOptions = {}) =>
      app.delete({ ...options, operation: "sessions.remove", path: ["sessions", id] }),

    /** Ends every session except the current one. */
    endOthers: (options: CallOptions = {}) =>
      app.postWithoutResponse({
        ...options,
        operation: "sessions.endOthers",
        path: ["sessions", "end-others"],
      }),
  };
}

/** Returns the operations on the account's passkeys. */
export function createPasskeyOperations(app: AppApi) {
  return {
    /** Returns the passkeys of the account, in pages. */
    list: (query: PageQuery = {}, options: CallOptions = {}) =>
      app.get({ ...options, operation: "passkeys.list", path: ["passkeys"], query }),

    /** Returns the options for creating a passkey in a browser. Needs the password, except within ten minutes of a sign-in. */
    options: (input: PasswordConfirmation = {}, options: CallOptions = {}) =>
      app.post({
        ...options,
        operation: "passkeys.options",
        path: ["passkeys", "options"],
        body: input,
      }),

    /** Adds a passkey that the browser created. */
    create: (input: NewPasskey, options: CallOptions = {}) =>
      app.post({ ...options, operation: "passkeys.create", path: ["passkeys"], body: input }),

    /** Renames a passkey. */
    update: (id: string, input: PasskeyChange, options: CallOptions = {}) =>
      app.patch({ ...options, operation: "passkeys.update", path: ["passkeys", id], body: input }),

    /** Removes a passkey. */
    remove: (id: string, options: CallOptions = {}) =>
      app.delete({ ...options, operation: "passkeys.remove", path: ["passkeys", id] }),
  };
}
