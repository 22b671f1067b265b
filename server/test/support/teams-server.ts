import type { TestContext } from "node:test";
import { createClient, type Client } from "@tocsin/sdk";
import { issueAccessToken } from "#accounts/access-tokens/issue.ts";
import { createPersonFinder } from "#accounts/person-finder.ts";
import { OPERATOR } from "#audit/event.ts";
import type { Context } from "#context.ts";
import { findLastLeftAt } from "#devices/left-devices/store/left-devices.ts";
import { countDevices } from "#devices/store/devices.ts";
import { createAuthenticate } from "#http/authenticate.ts";
import { issueKey, draftTeamKey } from "#keys/issue.ts";
import { revokeKey } from "#keys/revoke.ts";
import { revokeTeamKeysQueries } from "#keys/store/revocation.ts";
import { KeyVerifier } from "#keys/verify.ts";
import { insertMailQuery } from "#mail/store/outbox.ts";
import { registerTeamRoutes, type TeamRouteDeps } from "#teams/routes.ts";
import { addMember } from "./team-members.ts";
import { readMail } from "./read-mail.ts";
import { insertAccount, startTestServer, createRoomContext } from "./context.ts";
import { type TestClock } from "./test-clock.ts";

const BASE_URL = "https://push.example.org";

/** A person with an account, an account key and a signed-in client that has the key. */
export interface SignedInPerson {
  readonly id: string;
  readonly email: string;
  readonly key: string;
  readonly accessToken: string;
  readonly client: Client;
}

/** A server with only the teams room, and its test tools. */
export interface TeamsServer {
  readonly context: Context & { readonly clock: TestClock };
  readonly url: string;
  /** Ids of the teams that the room reported as changed, in order. */
  readonly changedTeamIds: string[];
  /** Returns how often the room woke the mail sender. */
  countMailWakes(): number;
  /** Signs up a person. */
  addPerson(name: string, options?: { readonly isVerified?: boolean }): Promise<SignedInPerson>;
  /** Returns a client that is signed in as `person` and sends `apiKey`. */
  createClientWithKey(person: SignedInPerson, apiKey: string): Client;
  /** Adds the person to the team with an invitation, and returns the member id. */
  join(owner: SignedInPerson, teamId: string, person: SignedInPerson): Promise<string>;
  /** Returns the emails in the outbox, oldest first. */
  listMails(): Promise<readonly { to: string; subject: string; text: string; link: string }[]>;
  revokeKey(key: string): Promise<void>;
}

/** Starts a server with the teams routes, on the real accounts, access tokens, keys and devices. */
export async function startTeamsServer(
  test: TestContext,
  { sendsMail = true }: { readonly sendsMail?: boolean } = {},
): Promise<TeamsServer> {
  const context = await createRoomContext(test);
  const keys = new KeyVerifier(context, { isListening: true });
  const changedTeamIds: string[] = [];
  let wakes = 0;
  const deps = {
    ...createDeps(context, keys),
    sendsMail,
    onTeamChanged(teamId: string) {
      keys.evictTeam(teamId);
      changedTeamIds.push(teamId);
    },
    wakeMailSender: () => void (wakes += 1),
  };
  const url = await startTestServer(test, context, (server) => registerTeamRoutes(server, deps));
  return {
    context,
    url,
    changedTeamIds,
    countMailWakes: () => wakes,
    addPerson: (name, options) => addPerson({ context, url }, { name, ...options }),
    createClientWithKey: ({ accessToken }, apiKey) =>
      createClient({ baseUrl: url, accessToken, apiKey }),
    join: addMember,
    listMails: () => readOutbox(context),
    revokeKey: (key) => revoke({ context, verifier: keys }, key),
  };
}

async function addPerson(
  { context, url }: Pick<TeamsServer, "context" | "url">,
  { name, isVerified = true }: { readonly name: string; readonly isVerified?: boolean },
): Promise<SignedInPerson> {
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
  const principal = await deps.verifier.findPrincipal(key);
  if (principal === null) throw new Error("The key does not exist.");
  const { accountId, keyId } = principal;
  const owners = { accountId, teamIds: principal.kind === "team" ? [principal.teamId] : [] };
  await revokeKey(deps, { owners, keyId, actor: OPERATOR });
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
): Omit<TeamRouteDeps, "onTeamChanged" | "wakeMailSender" | "sendsMail"> {
  const findPerson = createPersonFinder({ context, auth: { findSession: async () => null } });
  return {
    context,
    baseUrl: BASE_URL,
    authenticate: createAuthenticate(findPerson, BASE_URL),
    findPrincipal: keys.findPrincipal,
    findTeamByKey: keys.findTeamId,
    draftTeamKey(owner) {
      const { key, query } = draftTeamKey(context, { ...owner, label: null });
      return { key, insertStatement: query };
    },
    createTeamEndQueries: (teamId) => revokeTeamKeysQueries(context, teamId),
    countDevices: (accountIds) => countDevices(context, accountIds),
    findLastLeftAt: (accountIds) => findLastLeftAt(context, accountIds),
    insertMailQuery: (mail) => insertMailQuery(context, mail),
  };
}
