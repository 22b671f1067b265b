import assert from "node:assert/strict";
import type { AuditAction } from "@tocsin/sdk";
import { removeExpired } from "../../src/accounts/store/accounts.ts";
import { eventually } from "../support/eventually.ts";
import { linkToken } from "../support/link-token.ts";
import { isSignedIn, type Credential } from "./live-credentials.ts";
import type { Scene } from "./live-scene.ts";

/** A way in which a session, an access token or an account ends. */
export interface Ending {
  readonly name: string;
  /** The operation of the OpenAPI document; null where nobody asks for it. */
  readonly operation: string | null;
  /** The event of the audit log; null for none. */
  readonly action: AuditAction | null;
  /** Whether the address was proved to be the person's before. */
  readonly isProved?: boolean;
  /** Steps before the streams are opened. */
  readonly prepare?: (scene: Scene) => Promise<void>;
  readonly perform: (scene: Scene) => Promise<void>;
}

/** Whether an event tells that a session, an access token or an account ended; a new kind of event must say so here. */
export const IS_ENDING = {
  account_created: false,
  account_deleted: true,
  account_role_changed: false,
  account_suspended: true,
  account_opened: false,
  email_changed: false,
  email_confirmed: false,
  signed_in: false,
  sign_in_failed: false,
  session_ended: true,
  sessions_ended: true,
  password_changed: true,
  password_reset: true,
  reset_link_made: false,
  two_factor_turned_on: false,
  two_factor_turned_off: false,
  backup_codes_renewed: false,
  passkey_added: false,
  passkey_removed: false,
  identity_linked: false,
  pairing_made: false,
  access_token_made: false,
  access_token_revoked: true,
  api_key_made: false,
  api_key_changed: false,
  api_key_rotated: false,
  api_key_revoked: false,
  device_added: false,
  device_removed: false,
  device_left: false,
  team_made: false,
  team_renamed: false,
  team_deleted: false,
  member_invited: false,
  invitation_withdrawn: false,
  invitation_declined: false,
  member_joined: false,
  member_role_changed: false,
  member_removed: false,
  member_left: false,
  sign_up_invitation_made: false,
  sign_up_invitation_withdrawn: false,
  settings_changed: false,
  export_made: false,
  backup_made: false,
  server_moved: false,
  master_key_rewrapped: false,
} as const satisfies Record<AuditAction, boolean>;

/** The operations of sign-in that open a session, lead there or only look. */
export const SIGNING_IN: readonly string[] = [
  "signUp",
  "signIn",
  "getSession",
  "verifyEmail",
  "verifyEmailChange",
  "requestPasswordReset",
  "pair",
  "signInWithCode",
  "beginPasskeySignIn",
  "signInWithPasskey",
  "getSignInMethods",
  "beginOidc",
  "finishOidc",
];

const NEW_PASSWORD = "another one of my own";

/** Every way; `live-rights.test.ts` holds it against the OpenAPI document and the audit log. */
export const ENDINGS: readonly Ending[] = [
  {
    name: "signing out",
    operation: "signOut",
    action: "session_ended",
    perform: ({ ask, first }) => ask("POST /api/auth/sign-out", { by: first }),
  },
  {
    name: "ending a session elsewhere",
    operation: "removeSession",
    action: "session_ended",
    async perform(scene) {
      const id = await sessionIdOf(scene, scene.second);
      await scene.ask(`DELETE /api/app/v1/sessions/${id}`, { by: scene.first });
    },
  },
  {
    name: "ending all other sessions",
    operation: "removeOtherSessions",
    action: "sessions_ended",
    perform: ({ ask, first }) => ask("POST /api/app/v1/sessions/end-others", { by: first }),
  },
  {
    name: "ending all sessions by an access token",
    operation: "removeOtherSessions",
    action: "sessions_ended",
    perform: ({ ask, token }) =>
      ask("POST /api/app/v1/sessions/end-others", { by: token.credential }),
  },
  {
    name: "revoking an access token",
    operation: "removeAccessToken",
    action: "access_token_revoked",
    perform: ({ ask, first, token }) =>
      ask(`DELETE /api/app/v1/access-tokens/${token.id}`, { by: first }),
  },
  {
    name: "changing the password",
    operation: "changePassword",
    action: "password_changed",
    perform: ({ ask, first, password }) =>
      ask("POST /api/auth/change-password", {
        by: first,
        body: { currentPassword: password, newPassword: NEW_PASSWORD },
      }),
  },
  {
    name: "resetting the password by a mailed link",
    operation: "resetPassword",
    action: "password_reset",
    perform: resetByMail,
  },
  {
    name: "taking back an account that a stranger made",
    operation: "resetPassword",
    action: "password_reset",
    isProved: false,
    perform: resetByMail,
  },
  {
    name: "resetting the password by a link that an administrator handed over",
    operation: "resetPassword",
    action: "password_reset",
    perform: resetByHandedLink,
  },
  {
    name: "suspending the account",
    operation: "updateAccount",
    action: "account_suspended",
    perform: ({ ask, administrator, accountId }) =>
      ask(`PATCH /api/app/v1/admin/accounts/${accountId}`, {
        by: administrator,
        body: { isSuspended: true },
      }),
  },
  {
    name: "deleting the account",
    operation: "deleteMe",
    action: "account_deleted",
    perform: ({ ask, first, password }) =>
      ask("POST /api/app/v1/me/delete", { by: first, body: { password } }),
  },
  {
    name: "a session's running out",
    operation: null,
    action: null,
    prepare: endSoon,
    perform: runOut,
  },
  {
    name: "forgetting sessions that have run out",
    operation: null,
    action: null,
    prepare: endSoon,
    async perform(scene) {
      await runOut(scene);
      await removeExpired(scene.app.app.context);
    },
  },
];

/** Time enough to open streams. */
const SOON_MS = 3_000;

async function endSoon({ app, accountId }: Scene): Promise<void> {
  const { database, now } = app.app.context;
  await database.db
    .updateTable("session")
    .set({ expires_at: new Date(now() + SOON_MS).toISOString() })
    .where("account_id", "=", accountId)
    .execute();
}

async function runOut({ app, first }: Scene): Promise<void> {
  await eventually(
    () => isSignedIn(app.url, first),
    (isIn) => !isIn,
  );
}

/** Returns the id of the session that asks. */
async function sessionIdOf({ app }: Scene, credential: Credential): Promise<string> {
  const response = await fetch(`${app.url}/api/app/v1/sessions`, { headers: credential });
  // As the OpenAPI document shapes it.
  const { items } = (await response.json()) as { items: { id: string; isCurrent: boolean }[] };
  return items.find(({ isCurrent }) => isCurrent)?.id ?? assert.fail("There is no session.");
}

async function resetByMail({ ask, email, mailedToken }: Scene): Promise<void> {
  await ask("POST /api/auth/request-password-reset", { body: { email } });
  const token = await mailedToken();
  await ask("POST /api/auth/reset-password", { body: { token, newPassword: NEW_PASSWORD } });
}

async function resetByHandedLink({ ask, app, administrator, accountId }: Scene): Promise<void> {
  const response = await fetch(`${app.url}/api/app/v1/admin/accounts/${accountId}/reset-link`, {
    method: "POST",
    headers: administrator,
  });
  // As the OpenAPI document shapes it.
  const { link } = (await response.json()) as { link: string };
  const body = { token: linkToken(link), newPassword: NEW_PASSWORD };
  await ask("POST /api/auth/reset-password", { body });
}
