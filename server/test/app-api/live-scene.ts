import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { MailServer } from "../doubles/mail-server.ts";
import { signUp, startApp, type TestApp } from "../support/app.ts";
import { linkToken } from "../support/link-token.ts";
import { startMail } from "../support/mail-stage.ts";
import { signInAt, type Credential } from "./live-credentials.ts";

/** A server with an administrator, and a team whose notifications reach whoever is in it. */
export interface Scenes {
  readonly app: TestApp;
  readonly mails: MailServer;
  readonly administrator: Credential;
  readonly teamId: string;
  /** Sends to the team. */
  readonly publish: (title: string) => Promise<unknown>;
}

/** A person of the team, signed in twice as a browser is and once as a program is. */
export interface Scene extends Scenes {
  readonly accountId: string;
  readonly email: string;
  readonly password: string;
  readonly first: Credential;
  readonly second: Credential;
  readonly token: { readonly id: string; readonly credential: Credential };
  /** Asks by a credential; fails unless the answer says that it was done. */
  readonly ask: (call: string, given?: { by?: Credential; body?: unknown }) => Promise<void>;
  /** Resolves with the token of the link to a new password in the next mail to the person. */
  readonly mailedToken: () => Promise<string>;
}

/** Starts what all scenes share. */
export async function startScenes(t: TestContext): Promise<Scenes> {
  const { mail: mails, environment } = await startMail(t);
  const app = await startApp(t, { environment: { ...environment, TOCSIN_RATE_LIMIT_PER_S: "0" } });
  const root = await signUp(app, "Root");
  const { db } = app.app.context.database;
  await db.updateTable("account").set({ is_admin: 1 }).execute();
  const { id: teamId, key } = await root.client.teams.create({ name: "Ops" });
  const administrator = await signInAt(app.url, { ...root, password: "password of Root" });
  const publish = (title: string) => root.withKey(key).notify({ title, body: "" });
  return { app, mails, administrator, teamId, publish };
}

let people = 0;

/** Makes another person of the team; unproved, anybody may have signed up with the address. */
export async function newScene(scenes: Scenes, isProved: boolean): Promise<Scene> {
  people += 1;
  const { app, mails, teamId } = scenes;
  const name = `Ann${people}`;
  const { email, accountId, client } = await signUp(app, name);
  await join(app, { teamId, accountId, isProved });
  const password = `password of ${name}`;
  const { id, token } = await client.accessTokens.create({ label: "followed" });
  return {
    ...scenes,
    accountId,
    email,
    password,
    first: await signInAt(app.url, { email, password }),
    second: await signInAt(app.url, { email, password }),
    token: { id, credential: { authorization: `Bearer ${token}` } },
    ask: (call, given) => ask(app, call, given),
    async mailedToken() {
      for (;;) {
        const { to, text } = await mails.next();
        const link = /https?:\S+\/reset-password#token=\S+/.exec(text ?? "")?.[0];
        if (link !== undefined && to.includes(email)) return linkToken(link);
      }
    },
  };
}

/** In the store itself: an account may invite 20 people a day. */
async function join(
  { app }: TestApp,
  person: { readonly teamId: string; readonly accountId: string; readonly isProved: boolean },
): Promise<void> {
  const { teamId: team_id, accountId: account_id, isProved } = person;
  const { database, newId, now } = app.context;
  const member = { id: newId(), team_id, account_id, role: "member", joined_at: now() } as const;
  await database.db.insertInto("team_member").values(member).execute();
  await database.db
    .updateTable("account")
    .set({ email_verified: isProved ? 1 : 0 })
    .where("id", "=", account_id)
    .execute();
}

async function ask(
  { url }: TestApp,
  call: string,
  { by = {}, body }: { readonly by?: Credential; readonly body?: unknown } = {},
): Promise<void> {
  const [method = "", path = ""] = call.split(" ");
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { ...by, ...(body === undefined ? {} : { "content-type": "application/json" }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  assert.ok(response.ok, `${call}: ${response.status} ${await response.text()}`);
}
