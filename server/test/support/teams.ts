import { actorBy } from "#audit/actor.ts";
import { randomUUID } from "node:crypto";
import type { TestContext } from "node:test";
import { createClient, type Client } from "@tocsin/sdk";
import type { FastifyRequest } from "fastify";
import type { Context } from "#context.ts";
import { AppError } from "#errors.ts";
import type { Person, RequestPrincipal } from "#http/authenticate.ts";
import { mailInsert } from "#mail/store/outbox.ts";
import { hashToken } from "#token.ts";
import { registerTeamRoutes, type TeamRouteDeps } from "#teams/routes.ts";
import { readMail } from "./read-mail.ts";
import { insertAccount, listen, testContext, type TestClock } from "./room.ts";
import { join } from "./membership.ts";

/** Someone with an account, an account key, and a client that is signed in and has the key. */
export interface TestPerson {
  readonly id: string;
  readonly email: string;
  readonly key: string;
  readonly client: Client;
}

/** A server with the teams room alone, and what a test needs around it. */
export interface TeamServer {
  readonly context: Context & { readonly clock: TestClock };
  readonly url: string;
  /** The teams that the room said may have changed. */
  readonly changed: string[];
  /** How often the room woke the sender of mails. */
  wakes(): number;
  person(name: string, options?: { readonly isVerified?: boolean }): Promise<TestPerson>;
  /** A client that is signed in as `person` and sends `apiKey`. */
  clientWith(person: TestPerson, apiKey: string): Client;
  /** Makes the person a member of the team by inviting and accepting, and returns the member id. */
  join(owner: TestPerson, teamId: string, person: TestPerson): Promise<string>;
  /** The mails that are owed, oldest first. */
  mails(): Promise<readonly { to: string; subject: string; text: string; link: string }[]>;
  revokeKey(key: string): Promise<void>;
}

/** Starts a server with the teams room; a bearer token is the account's id, keys are rows of `api_key`. */
export async function teamServer(
  test: TestContext,
  { sendsMail = true }: { readonly sendsMail?: boolean } = {},
): Promise<TeamServer> {
  const context = await testContext(test);
  const changed: string[] = [];
  let wakes = 0;
  const deps = {
    ...depsOf(context),
    sendsMail,
    onTeamChanged: (teamId: string) => void changed.push(teamId),
    wakeMail: () => void (wakes += 1),
  };
  const url = await listen(test, context, (server) => registerTeamRoutes(server, deps));
  const { db } = context.database;
  const clientOf = (id: string, apiKey: string) =>
    createClient({ baseUrl: url, accessToken: id, apiKey });
  return {
    context,
    url,
    changed,
    wakes: () => wakes,
    async person(name, { isVerified = true } = {}) {
      const email = `${name.toLowerCase()}@example.org`;
      const id = await insertAccount(context, { name, email, isVerified });
      const { key, insert } = newKey(context, { accountId: id, teamId: null });
      await context.database.atomically([insert]);
      return { id, email, key, client: clientOf(id, key) };
    },
    clientWith: (person, apiKey) => clientOf(person.id, apiKey),
    join,
    mails: () => mailsOf(context),
    async revokeKey(key) {
      await db
        .updateTable("api_key")
        .set({ revoked_at: context.now() })
        .where("key_hash", "=", hashToken(key))
        .execute();
    },
  };
}

async function mailsOf(context: Context) {
  const rows = await context.database.db
    .selectFrom("mail_message")
    .select(["id", "recipient as to", "subject", "text", "link"])
    .orderBy("id")
    .execute();
  return rows.map(({ id, to, subject, ...stored }) => {
    return { to, subject, ...readMail(context, { id, ...stored }) };
  });
}

function depsOf(context: Context): Omit<TeamRouteDeps, "onTeamChanged" | "wakeMail" | "sendsMail"> {
  const { db } = context.database;
  return {
    context,
    baseUrl: "https://push.example.org",
    authenticate: (request) => authenticate(context, request),
    findPrincipal: (key) => findPrincipal(context, key),
    async findTeamByKey(key) {
      const principal = await findPrincipal(context, key);
      return principal?.kind === "team" ? principal.teamId : null;
    },
    newTeamKey: (owner) => newKey(context, owner),
    teamKeyRevocation: (teamId) =>
      db.updateTable("api_key").set({ revoked_at: context.now() }).where("team_id", "=", teamId),
    countDevices: async (ids) => new Map(ids.map((id) => [id, 2])),
    lastLeftAt: async () => new Map(),
    mailInsert: (mail) => mailInsert(context, mail),
  };
}

async function authenticate({ database }: Context, request: FastifyRequest): Promise<Person> {
  const id = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1] ?? "";
  const row = await database.db
    .selectFrom("account")
    .selectAll()
    .where("id", "=", id)
    .executeTakeFirst();
  if (row === undefined) throw new AppError("unauthenticated", "Sign in.");
  const { email, name } = row;
  const isEmailVerified = Boolean(row.email_verified);
  const known = { kind: "access_token", accountId: id, credentialId: null } as const;
  return {
    accountId: id,
    email,
    name,
    isAdmin: false,
    isEmailVerified,
    session: null,
    accessTokenId: null,
    actor: actorBy(request, known),
  };
}

async function findPrincipal({ database }: Context, key: string): Promise<RequestPrincipal | null> {
  const row = await database.db
    .selectFrom("api_key")
    .select(["id", "first_key_id", "kind", "account_id", "team_id", "post_only_at"])
    .where("key_hash", "=", hashToken(key))
    .where("revoked_at", "is", null)
    .executeTakeFirst();
  if (row === undefined) return null;
  const { id: keyId, account_id: accountId, team_id: teamId } = row;
  const firstKeyId = row.first_key_id ?? keyId;
  const isPostOnly = row.post_only_at !== null;
  if (teamId === null) return { kind: "account", keyId, firstKeyId, accountId, isPostOnly };
  return { kind: "team", keyId, firstKeyId, accountId, teamId, isPostOnly };
}

function newKey(
  { database, newId, now }: Context,
  owner: { readonly accountId: string; readonly teamId: string | null },
) {
  const key = randomUUID();
  const insert = database.db.insertInto("api_key").values({
    id: newId(),
    kind: owner.teamId === null ? "account" : "team",
    account_id: owner.accountId,
    team_id: owner.teamId,
    label: "",
    key_hash: hashToken(key),
    hint: key.slice(-4),
    created_at: now(),
    last_used_at: null,
    expires_at: null,
    revoked_at: null,
  });
  return { key, insert };
}
