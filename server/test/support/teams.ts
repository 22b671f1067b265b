import type { TestContext } from "node:test";
import { createClient, type Client } from "@tocsin/sdk";
import { issueAccessToken } from "#accounts/access-tokens/issue.ts";
import { createPersonFinder } from "#accounts/person-finder.ts";
import { OPERATOR } from "#audit/event.ts";
import type { Context } from "#context.ts";
import { lastLeftAt } from "#devices/left/store/left.ts";
import { countDevices } from "#devices/store/devices.ts";
import { createAuthenticate } from "#http/authenticate.ts";
import { issueKey, teamKeyInsert } from "#keys/issue.ts";
import { revokeKey } from "#keys/revoke.ts";
import { revokeTeamKeysQuery } from "#keys/store/ending.ts";
import { KeyVerifier } from "#keys/verify.ts";
import { mailInsert } from "#mail/store/outbox.ts";
import { registerTeamRoutes, type TeamRouteDeps } from "#teams/routes.ts";
import { join } from "./membership.ts";
import { readMail } from "./read-mail.ts";
import { insertAccount, listen, testContext, type TestClock } from "./room.ts";

const BASE_URL = "https://push.example.org";

/** A person with an account, an account key and a signed-in client that has the key. */
export interface TestPerson {
  readonly id: string;
  readonly email: string;
  readonly key: string;
  readonly accessToken: string;
  readonly client: Client;
}

/** A server with only the teams room, and its test tools. */
export interface TeamServer {
  readonly context: Context & { readonly clock: TestClock };
  readonly url: string;
  /** Teams that the room reported as changed. */
  readonly changed: string[];
  /** Returns how often the room woke the mail sender. */
  wakes(): number;
  person(name: string, options?: { readonly isVerified?: boolean }): Promise<TestPerson>;
  /** Returns a client that is signed in as `person` and sends `apiKey`. */
  clientWith(person: TestPerson, apiKey: string): Client;
  /** Adds the person to the team with an invitation, and returns the member id. */
  join(owner: TestPerson, teamId: string, person: TestPerson): Promise<string>;
  /** Returns the mails in the outbox, oldest first. */
  mails(): Promise<readonly { to: string; subject: string; text: string; link: string }[]>;
  revokeKey(key: string): Promise<void>;
}

/** Starts a server with the teams routes, on the real accounts, access tokens, keys and devices. */
export async function startTeams(
  test: TestContext,
  { sendsMail = true }: { readonly sendsMail?: boolean } = {},
): Promise<TeamServer> {
  const context = await testContext(test);
  const keys = new KeyVerifier(context, { isListening: true });
  const changed: string[] = [];
  let wakes = 0;
  const deps = {
    ...createDeps(context, keys),
    sendsMail,
    onTeamChanged(teamId: string) {
      keys.forgetTeam(teamId);
      changed.push(teamId);
    },
    wakeMail: () => void (wakes += 1),
  };
  const url = await listen(test, context, (server) => registerTeamRoutes(server, deps));
  return {
    context,
    url,
    changed,
    wakes: () => wakes,
    person: (name, options) => addPerson({ context, url }, { name, ...options }),
    clientWith: ({ accessToken }, apiKey) => createClient({ baseUrl: url, accessToken, apiKey }),
    join,
    mails: () => readOutbox(context),
    revokeKey: (key) => revoke({ context, verifier: keys }, key),
  };
}

async function addPerson(
  { context, url }: Pick<TeamServer, "context" | "url">,
  { name, isVerified = true }: { readonly name: string; readonly isVerified?: boolean },
): Promise<TestPerson> {
  const email = `${name.toLowerCase()}@example.org`;
  const id = await insertAccount(context, { name, email, isVerified });
  const issuing = { context, mail: { wake() {} }, baseUrl: BASE_URL, sendsMail: false };
  const owned = { accountId: id, actor: OPERATOR };
  const { token } = await issueAccessToken(issuing, { ...owned, label: "Test" });
  const request = { ...owned, teamId: null, label: null, expiresAt: null, isPostOnly: false };
  const { key } = await issueKey(context, request);
  const client = createClient({ baseUrl: url, accessToken: token, apiKey: key });
  return { id, email, key, accessToken: token, client };
}

async function revoke(
  deps: { readonly context: Context; readonly verifier: KeyVerifier },
  key: string,
): Promise<void> {
  const found = await deps.verifier.find(key);
  if (found === null) throw new Error("The key does not exist.");
  const { accountId, keyId } = found;
  const owner = { accountId, teamIds: found.kind === "team" ? [found.teamId] : [] };
  await revokeKey(deps, { owner, keyId, actor: OPERATOR });
}

async function readOutbox(context: Context) {
  const rows = await context.database.db
    .selectFrom("mail_message")
    .select(["id", "recipient as to", "subject", "text", "link"])
    .orderBy("id")
    .execute();
  return rows.map(({ id, to, subject, ...stored }) => {
    return { to, subject, ...readMail(context, { id, ...stored }) };
  });
}

function createDeps(
  context: Context,
  keys: KeyVerifier,
): Omit<TeamRouteDeps, "onTeamChanged" | "wakeMail" | "sendsMail"> {
  const find = createPersonFinder({ context, auth: { findSession: async () => null } });
  return {
    context,
    baseUrl: BASE_URL,
    authenticate: createAuthenticate(find, BASE_URL),
    findPrincipal: keys.find,
    findTeamByKey: keys.findTeam,
    newTeamKey(owner) {
      const { key, query } = teamKeyInsert(context, { ...owner, label: null });
      return { key, insert: query };
    },
    teamKeyRevocation: (teamId) => revokeTeamKeysQuery(context, teamId),
    countDevices: (accountIds) => countDevices(context, accountIds),
    lastLeftAt: (accountIds) => lastLeftAt(context, accountIds),
    mailInsert: (mail) => mailInsert(context, mail),
  };
}
