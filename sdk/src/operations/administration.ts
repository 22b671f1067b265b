import type {
  ListedAccountChange,
  AccountsQuery,
  NewSignUpInvitation,
  SettingsChange,
} from "../administration.ts";
import type { ServerAuditQuery } from "../audit.ts";
import type { PageQuery } from "../page.ts";
import type { ProviderName } from "../provider.ts";
import type { CallOptions } from "../request.ts";
import type { AppApi } from "./app-api.ts";

/** Returns the operations of administrators. They reject with `forbidden` for other accounts. */
export function createAdministrationOperations(app: AppApi) {
  return {
    accounts: createAccountOperations(app),
    invitations: createSignUpInvitationOperations(app),
    providers: createProviderOperations(app),
    settings: createSettingsOperations(app),

    /** Returns the health of the server. */
    health: (options: CallOptions = {}) =>
      app.get({ ...options, operation: "admin.health", path: ["admin", "health"] }),

    /** Returns the state of the latest backup that the console started, and the newest ones on the server's disk. */
    backup: (options: CallOptions = {}) =>
      app.get({ ...options, operation: "admin.backup", path: ["admin", "backup"] }),

    /** Starts a backup on the server's disk. Needs a session: access tokens are refused. */
    startBackup: (options: CallOptions = {}) =>
      app.post({ ...options, operation: "admin.startBackup", path: ["admin", "backup"] }),

    /** Returns the accounts that use at least 80 % of a limit. */
    limits: (options: CallOptions = {}) =>
      app.get({ ...options, operation: "admin.limits", path: ["admin", "limits"] }),

    /** Returns the audit events of this server, newest first. */
    audit: (query: ServerAuditQuery = {}, options: CallOptions = {}) =>
      app.get({ ...options, operation: "admin.audit", path: ["admin", "audit"], query }),

    /** Sends a test email immediately, by default to the caller, and returns the result. */
    testMail: (input: { readonly to?: string } = {}, options: CallOptions = {}) =>
      app.post({
        ...options,
        operation: "admin.testMail",
        path: ["admin", "mail-test"],
        body: input,
      }),
  };
}

function createAccountOperations(app: AppApi) {
  const path = ["admin", "accounts"];
  return {
    /** Returns the accounts of the server, in pages. */
    list: (query: AccountsQuery = {}, options: CallOptions = {}) =>
      app.get({ ...options, operation: "admin.accounts.list", path, query }),

    /** Changes an account. Needs a session: access tokens are refused. */
    update: (id: string, input: ListedAccountChange, options: CallOptions = {}) =>
      app.patch({
        ...options,
        operation: "admin.accounts.update",
        path: [...path, id],
        body: input,
      }),

    /** Returns an account with the teams that its deletion would affect. */
    get: (id: string, options: CallOptions = {}) =>
      app.get({ ...options, operation: "admin.accounts.get", path: [...path, id] }),

    /** Deletes an account permanently. Needs a session: access tokens are refused. */
    remove: (id: string, options: CallOptions = {}) =>
      app.delete({ ...options, operation: "admin.accounts.remove", path: [...path, id] }),

    /** Returns the devices of an account. */
    devices: (id: string, options: CallOptions = {}) =>
      app.get({ ...options, operation: "admin.accounts.devices", path: [...path, id, "devices"] }),

    /** Removes a device of an account. Needs a session: access tokens are refused. */
    removeDevice: (id: string, deviceId: string, options: CallOptions = {}) =>
      app.delete({
        ...options,
        operation: "admin.accounts.removeDevice",
        path: [...path, id, "devices", deviceId],
      }),

    /** Creates a password reset link for the administrator to pass on. Needs a session: access tokens are refused. */
    resetLink: (id: string, options: CallOptions = {}) =>
      app.post({
        ...options,
        operation: "admin.accounts.resetLink",
        path: [...path, id, "reset-link"],
      }),
  };
}

function createSignUpInvitationOperations(app: AppApi) {
  const path = ["admin", "invitations"];
  return {
    /** Returns the invitations to the server, in pages. */
    list: (query: PageQuery = {}, options: CallOptions = {}) =>
      app.get({ ...options, operation: "admin.invitations.list", path, query }),

    /** Invites a person to the server; only this response contains the link. */
    create: (input: NewSignUpInvitation = {}, options: CallOptions = {}) =>
      app.post({ ...options, operation: "admin.invitations.create", path, body: input }),

    /** Revokes an invitation to the server. */
    remove: (id: string, options: CallOptions = {}) =>
      app.delete({ ...options, operation: "admin.invitations.remove", path: [...path, id] }),
  };
}

function createProviderOperations(app: AppApi) {
  const path = ["admin", "providers"];
  return {
    /** Returns the settings and the state of each provider. */
    list: (options: CallOptions = {}) =>
      app.get({ ...options, operation: "admin.providers.list", path }),

    /** Checks with the provider's services whether they accept its settings; sends nothing to a device. */
    validate: (provider: ProviderName, options: CallOptions = {}) =>
      app.post({
        ...options,
        operation: "admin.providers.validate",
        path: [...path, provider, "validate"],
      }),
  };
}

function createSettingsOperations(app: AppApi) {
  const path = ["admin", "settings"];
  return {
    /** Returns the settings that administrators may change. */
    get: (options: CallOptions = {}) =>
      app.get({ ...options, operation: "admin.settings.get", path }),

    /** Changes settings. Rejects with `conflict` for a setting that comes from the environment. */
    update: (input: SettingsChange, options: CallOptions = {}) =>
      app.patch({ ...options, operation: "admin.settings.update", path, body: input }),
  };
}
