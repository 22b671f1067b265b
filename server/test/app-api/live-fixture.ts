import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { MailServer } from "../doubles/mail-server.ts";
import { signUp, startApp, type TestApp } from "../support/app.ts";
import { parseLinkToken } from "../support/link-token.ts";
import { startMailServer } from "../support/start-mail-server.ts";
import { signInForCookie, type Credential } from "./credential-streams.ts";

/** A server with an administrator and a team. */
export interface LiveApp {
  readonly app: TestApp;
  readonly mail: MailServer;
  readonly administrator: Credential;
  readonly teamId: string;
  /** Sends a notification to the team. */
  readonly publish: (title: string) => Promise<unknown>;
}

/** A team member with two browser sessions and an access token. */
export interface LiveFixture extends LiveApp {
  readonly accountId: string;
  readonly email: string;
  readonly password: string;
  readonly firstSession: Credential;
  readonly secondSession: Credential;
  readonly token: { readonly id: string; readonly credential: Credential };
  /** Sends a request with a credential; fails unless the response is 2xx. */
  readonly request: (call: string, options?: { as?: Credential; body?: unknown }) => Promise<void>;
  /** Resolves with the token of the password reset link in the next email to the person. */
  readonly receiveMailedToken: () => Promise<string>;
}

/** Starts the server that all fixtures of a test share. */
export async function startLiveApp(t: TestContext): Promise<LiveApp> {
  const { mail, environment } = await startMailServer(t);
  const app = await startApp(t, { environment: { ...environment, TOCSIN_RATE_LIMIT_PER_S: "0" } });
  const root = await signUp(app, "Root");
  const { db } = app.app.context.database;
  await db.updateTable("account").set({ is_admin: 1 }).execute();
  const { id: teamId, key } = await root.client.teams.create({ name: "Ops" });
  const administrator = await signInForCookie(app.url, { ...root, password: "password of Root" });
  const publish = (title: string) => root.withKey(key).notify({ title, body: "" });
  return { app, mail, administrator, teamId, publish };
}

let personCount = 0;

/** Signs up another team member. If `isVerified` is false, a stranger may have signed up with the address. */
export async function createPersonFixture(
  liveApp: LiveApp,
  { isVerified }: { readonly isVerified: boolean },
): Promise<LiveFixture> {
  personCount += 1;
  const { app, mail, teamId } = liveApp;
  const name = `Ann${personCount}`;
  const { email, accountId, client } = await signUp(app, name);
  await insertMembership(app, { teamId, accountId, isVerified });
  const password = `password of ${name}`;
  const { id, token } = await client.accessTokens.create({ label: "followed" });
  return {
    ...liveApp,
    accountId,
    email,
    password,
    firstSession: await signInForCookie(app.url, { email, password }),
    secondSession: await signInForCookie(app.url, { email, password }),
    token: { id, credential: { authorization: `Bearer ${token}` } },
    request: (call, options) => request(app, call, options),
    async receiveMailedToken() {
      for (;;) {
        const { to, text } = await mail.next();
        const link = /https?:\S+\/reset-password#token=\S+/.exec(text ?? "")?.[0];
        if (link !== undefined && to.includes(email)) return parseLinkToken(link);
      }
    },
  };
}

/**
 * Inserts the membership directly into the database, as the API allows only 20 invitations a day. Sets whether the
 * person's email address is verified.
 */
async function insertMembership(
  { app }: TestApp,
  person: { readonly teamId: string; readonly accountId: string; readonly isVerified: boolean },
): Promise<void> {
  const { teamId: team_id, accountId: account_id, isVerified } = person;
  const { database, newId, now } = app.context;
  const member = { id: newId(), team_id, account_id, role: "member", joined_at: now() } as const;
  await database.db.insertInto("team_member").values(member).execute();
  await database.db
    .updateTable("account")
    .set({ email_verified: isVerified ? 1 : 0 })
    .where("id", "=", account_id)
    .execute();
}

async function request(
  { url }: TestApp,
  call: string,
  { as = {}, body }: { readonly as?: Credential; readonly body?: unknown } = {},
): Promise<void> {
  const [method = "", path = ""] = call.split(" ");
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { ...as, ...(body === undefined ? {} : { "content-type": "application/json" }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  assert.ok(response.ok, `${call}: ${response.status} ${await response.text()}`);
}
