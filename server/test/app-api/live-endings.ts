import assert from "node:assert/strict";
import type { AuditAction } from "@tocsin/sdk";
import { removeExpired } from "../../src/accounts/store/accounts.ts";
import { eventually } from "../support/eventually.ts";
import { parseLinkToken } from "../support/link-token.ts";
import { isSignedIn, type Credential } from "./credential-streams.ts";
import type { LiveFixture } from "./live-fixture.ts";

/** An action or event that ends a session, an access token or an account. */
export interface Ending {
  readonly name: string;
  /** Operation id in the OpenAPI document; null if no request causes it. */
  readonly operation: string | null;
  /** Action in the audit log; null if there is none. */
  readonly action: AuditAction | null;
  /** Whether the email address is verified before; true if it is missing. */
  readonly isVerified?: boolean;
  /** Steps before the streams are opened. */
  readonly prepare?: (fixture: LiveFixture) => Promise<void>;
  readonly perform: (fixture: LiveFixture) => Promise<void>;
}

/** Whether each audit action ends a session, an access token or an account. Each new action must be listed. */
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
  api_key_callback_secret_made: false,
  device_added: false,
  device_removed: false,
  device_left: false,
  device_action_key_made: false,
  app_secret_made: false,
  // This action ends only streams of the app, which are no live streams.
  app_secret_revoked: false,
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
  escalation_policy_made: false,
  escalation_policy_changed: false,
  escalation_policy_tested: false,
  escalation_policy_removed: false,
  sign_up_invitation_made: false,
  sign_up_invitation_withdrawn: false,
  incident_acknowledged: false,
  incident_resolved: false,
  incident_passed_on: false,
  incident_rung_again: false,
  prompt_answered: false,
  prompt_cancelled: false,
  settings_changed: false,
  export_made: false,
  backup_made: false,
  server_moved: false,
  master_key_rewrapped: false,
} as const satisfies Record<AuditAction, boolean>;

/** Sign-in operations that open a session, lead to one or are read-only. */
export const SIGN_IN_OPERATIONS: readonly string[] = [
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

/** Every ending. `live-rights.test.ts` checks the list against the OpenAPI document and the audit log. */
export const ENDINGS: readonly Ending[] = [
  {
    name: "signing out",
    operation: "signOut",
    action: "session_ended",
    perform: ({ request, firstSession }) =>
      request("POST /api/auth/sign-out", { as: firstSession }),
  },
  {
    name: "ending a session elsewhere",
    operation: "removeSession",
    action: "session_ended",
    async perform(fixture) {
      const id = await findSessionId(fixture, fixture.secondSession);
      await fixture.request(`DELETE /api/app/v1/sessions/${id}`, { as: fixture.firstSession });
    },
  },
  {
    name: "ending all other sessions",
    operation: "removeOtherSessions",
    action: "sessions_ended",
    perform: ({ request, firstSession }) =>
      request("POST /api/app/v1/sessions/end-others", { as: firstSession }),
  },
  {
    name: "ending all sessions with an access token",
    operation: "removeOtherSessions",
    action: "sessions_ended",
    perform: ({ request, token }) =>
      request("POST /api/app/v1/sessions/end-others", { as: token.credential }),
  },
  {
    name: "revoking an access token",
    operation: "removeAccessToken",
    action: "access_token_revoked",
    perform: ({ request, firstSession, token }) =>
      request(`DELETE /api/app/v1/access-tokens/${token.id}`, { as: firstSession }),
  },
  {
    name: "changing the password",
    operation: "changePassword",
    action: "password_changed",
    perform: ({ request, firstSession, password }) =>
      request("POST /api/auth/change-password", {
        as: firstSession,
        body: { currentPassword: password, newPassword: NEW_PASSWORD },
      }),
  },
  {
    name: "resetting the password with an emailed link",
    operation: "resetPassword",
    action: "password_reset",
    perform: resetByMail,
  },
  {
    name: "reclaiming an account that a stranger created",
    operation: "resetPassword",
    action: "password_reset",
    isVerified: false,
    perform: resetByMail,
  },
  {
    name: "resetting the password with an administrator's link",
    operation: "resetPassword",
    action: "password_reset",
    perform: resetByAdministrator,
  },
  {
    name: "suspending the account",
    operation: "updateAccount",
    action: "account_suspended",
    perform: ({ request, administrator, accountId }) =>
      request(`PATCH /api/app/v1/admin/accounts/${accountId}`, {
        as: administrator,
        body: { isSuspended: true },
      }),
  },
  {
    name: "deleting the account",
    operation: "deleteMe",
    action: "account_deleted",
    perform: ({ request, firstSession, password }) =>
      request("POST /api/app/v1/me/delete", { as: firstSession, body: { password } }),
  },
  {
    name: "a session expires",
    operation: null,
    action: null,
    prepare: shortenSession,
    perform: waitUntilExpired,
  },
  {
    name: "deleting expired sessions",
    operation: null,
    action: null,
    prepare: shortenSession,
    async perform(fixture) {
      await waitUntilExpired(fixture);
      await removeExpired(fixture.app.app.context);
    },
  },
];

/** Long enough to open the streams. */
const SHORT_SESSION_MS = 3_000;

async function shortenSession({ app, accountId }: LiveFixture): Promise<void> {
  const { database, now } = app.app.context;
  await database.db
    .updateTable("session")
    .set({ expires_at: new Date(now() + SHORT_SESSION_MS).toISOString() })
    .where("account_id", "=", accountId)
    .execute();
}

async function waitUntilExpired({ app, firstSession }: LiveFixture): Promise<void> {
  await eventually(
    () => isSignedIn(app.url, firstSession),
    (isValid) => !isValid,
  );
}

/** Returns the id of the current session. */
async function findSessionId({ app }: LiveFixture, credential: Credential): Promise<string> {
  const response = await fetch(`${app.url}/api/app/v1/sessions`, { headers: credential });
  // The OpenAPI document defines this shape.
  const { items } = (await response.json()) as { items: { id: string; isCurrent: boolean }[] };
  return items.find(({ isCurrent }) => isCurrent)?.id ?? assert.fail("There is no session.");
}

async function resetByMail({ request, email, receiveMailedToken }: LiveFixture): Promise<void> {
  await request("POST /api/auth/request-password-reset", { body: { email } });
  const token = await receiveMailedToken();
  await request("POST /api/auth/reset-password", { body: { token, newPassword: NEW_PASSWORD } });
}

async function resetByAdministrator({
  request,
  app,
  administrator,
  accountId,
}: LiveFixture): Promise<void> {
  const response = await fetch(`${app.url}/api/app/v1/admin/accounts/${accountId}/reset-link`, {
    method: "POST",
    headers: administrator,
  });
  // The OpenAPI document defines this shape.
  const { link } = (await response.json()) as { link: string };
  const body = { token: parseLinkToken(link), newPassword: NEW_PASSWORD };
  await request("POST /api/auth/reset-password", { body });
}
