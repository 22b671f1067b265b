import type { FastifyRequest } from "fastify";
import { Type } from "#json-schema.ts";
import { AppError, invalidField } from "#errors.ts";
import type { Authenticate, Person } from "#http/authenticate.ts";
import { PageQuery, pageOf, parsePage } from "#http/page.ts";
import { IdParams, Nullable, PageAnswer, Timestamp } from "#http/schema.ts";
import type { Server } from "#http/server.ts";
import { refusePaired } from "../confirm.ts";
import { changeSomebody, type ChangeDeps } from "./change.ts";
import { createResetLink } from "./reset-link.ts";
import { listAccounts, type ListedAccount } from "./store.ts";

/** What these routes depend on. */
export interface AccountAdministrationDeps extends ChangeDeps {
  readonly authenticateAdministrator: Authenticate;
  readonly baseUrl: string;
  /** Returns how many devices, and teams, each of at most 200 accounts has; the rooms of both provide it. */
  readonly countDevices: Count;
  readonly countTeams: Count;
}

type Count = (accountIds: readonly string[]) => Promise<ReadonlyMap<string, number>>;

const PATH = "/api/app/v1/admin/accounts";
const SEARCH_MAX_CHARACTERS = 200;
const WORDS_MAX = 8;
const tags = ["Administration"];

const ListedAccountAnswer = Type.Object({
  id: Type.String(),
  email: Type.String(),
  name: Type.String(),
  isAdmin: Type.Boolean(),
  isEmailVerified: Type.Boolean(),
  createdAt: Timestamp,
  lastSeenAt: Nullable(Timestamp),
  suspendedAt: Nullable(Timestamp),
  deviceCount: Type.Integer(),
  teamCount: Type.Integer(),
});

/** Registers what an administrator does about other people's accounts. */
export function registerAccountAdministration(
  server: Server,
  deps: AccountAdministrationDeps,
): void {
  registerList(server, deps);
  registerChange(server, deps);
  registerResetLink(server, deps);
}

function registerList(server: Server, deps: AccountAdministrationDeps): void {
  const schema = {
    operationId: "listAccounts",
    tags,
    summary: "List the accounts of this server, newest first; `q` finds words in name and address",
    querystring: Type.Object({ ...PageQuery.properties, q: Type.Optional(Type.String()) }),
    response: { 200: PageAnswer(ListedAccountAnswer) },
  };
  server.get(PATH, { schema }, async (request) => {
    await deps.authenticateAdministrator(request);
    const { after, limit } = parsePage(request.query);
    const words = parseSearch(request.query.q ?? "");
    const found = await listAccounts(deps.context, { words, after, limit: limit + 1 });
    const { items, nextCursor } = pageOf(found, limit);
    return { items: await answersOf(deps, items), nextCursor };
  });
}

function registerChange(server: Server, deps: AccountAdministrationDeps): void {
  const schema = {
    operationId: "updateAccount",
    refusals: [409],
    tags,
    summary: "Make somebody an administrator or not, suspend an account or open it again",
    description:
      "A suspended account has no sessions, cannot sign in, its own keys are invalid, and its devices get nothing. Needs a session of who signed in: an access token may not, nor a browser that another one let in.",
    params: IdParams,
    body: Type.Object({
      isAdmin: Type.Optional(Type.Boolean()),
      isSuspended: Type.Optional(Type.Boolean()),
    }),
    response: { 200: ListedAccountAnswer },
  };
  server.patch(`${PATH}/:id`, { schema }, async (request) => {
    const { actor: by } = await requireOwnSession(deps, request);
    const { isAdmin, isSuspended } = request.body;
    const { id } = request.params;
    const changed = await changeSomebody(deps, { id, by, isAdmin, isSuspended });
    const [answer] = await answersOf(deps, [changed]);
    if (answer === undefined) throw new Error("One account has one answer.");
    return answer;
  });
}

function registerResetLink(server: Server, deps: AccountAdministrationDeps): void {
  const schema = {
    operationId: "createResetLink",
    tags,
    summary: "Make a link with which somebody chooses a new password, to hand over",
    description:
      "Good once, for a day. Whoever gives it to the right person is believed: the address does not count as proved. Needs a session of who signed in: an access token may not, nor a browser that another one let in.",
    params: IdParams,
    response: { 201: Type.Object({ link: Type.String(), expiresAt: Timestamp }) },
  };
  server.post(`${PATH}/:id/reset-link`, { schema }, async (request, reply) => {
    const { actor: by } = await requireOwnSession(deps, request);
    const made = await createResetLink(deps, { accountId: request.params.id, by });
    const expiresAt = new Date(made.expiresAt).toISOString();
    return reply.code(201).send({ link: made.link, expiresAt });
  });
}

/**
 * What gives power over accounts is done by a person who signed in: a token that was lost, or a browser that another one let
 * in, would get a password by it.
 */
async function requireOwnSession(
  { context, authenticateAdministrator }: AccountAdministrationDeps,
  request: FastifyRequest,
): Promise<Person> {
  const person = await authenticateAdministrator(request);
  if (person.session === null) {
    throw new AppError("forbidden", "Sign in to do this: an access token may not.");
  }
  await refusePaired(context, person.session);
  return person;
}

function parseSearch(text: string): readonly string[] {
  const words = text.split(/\s+/u).filter((word) => word !== "");
  if (text.length <= SEARCH_MAX_CHARACTERS && words.length <= WORDS_MAX) return words;
  const limits = `${WORDS_MAX} words and ${SEARCH_MAX_CHARACTERS} characters`;
  throw invalidField("q", `q must have at most ${limits}.`);
}

async function answersOf(
  { countDevices, countTeams }: AccountAdministrationDeps,
  accounts: readonly ListedAccount[],
) {
  const ids = accounts.map(({ id }) => id);
  const [devices, teams] = await Promise.all([countDevices(ids), countTeams(ids)]);
  return accounts.map(({ createdAt, lastSeenAt, suspendedAt, ...account }) => ({
    ...account,
    createdAt: momentOf(createdAt),
    lastSeenAt: lastSeenAt === null ? null : momentOf(lastSeenAt),
    suspendedAt: suspendedAt === null ? null : momentOf(suspendedAt),
    deviceCount: devices.get(account.id) ?? 0,
    teamCount: teams.get(account.id) ?? 0,
  }));
}

function momentOf(time: number): string {
  return new Date(time).toISOString();
}
