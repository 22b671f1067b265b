import { Type } from "#schema/json-schema.ts";
import { addDocumentedKeywords } from "#schema/documented-keywords.ts";
import { invalidField } from "#errors.ts";
import type { Authenticate } from "#http/authenticate.ts";
import { PageQuery, toPage, parsePage } from "#http/page.ts";
import { IdParams, Nullable, PageResponse, Timestamp } from "#http/schema.ts";
import type { Server } from "#http/server.ts";
import { toListedAccountResponses, toResetLinkResponse, type AccountCounts } from "./response.ts";
import { createNoSuchAccountError, changeOtherAccount } from "./change-other-account.ts";
import { deleteOtherAccount, type DeleteOtherAccountDeps } from "./delete-other-account.ts";
import { requireDirectSession } from "./direct-session.ts";
import { createResetLink } from "./reset-link.ts";
import { findListedAccount, listAccounts } from "./store.ts";

/** The dependencies of the account routes for administrators. */
export interface AccountAdministrationDeps extends DeleteOtherAccountDeps, AccountCounts {
  readonly authenticateAdministrator: Authenticate;
  readonly baseUrl: string;
  /** Returns the teams whose only owner is the account. The teams room provides it. */
  readonly findTeamsToHandOver: (accountId: string) => Promise<readonly TeamToHandOver[]>;
}

/** A team whose only owner is an account, and the member who becomes its owner when that account is deleted. */
export interface TeamToHandOver {
  readonly id: string;
  readonly name: string;
  /** Null if the team has no other member, so that it is deleted too. */
  readonly heir: { readonly name: string } | null;
}

const ACCOUNTS_PATH = "/api/app/v1/admin/accounts";
const SEARCH_MAX_CHARACTERS = 200;
const SEARCH_WORDS_MAX = 8;
const tags = ["Administration"];

const ListedAccountResponse = Type.Object({
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

/** Registers the operations of administrators on other accounts. */
export function registerAccountAdministration(
  server: Server,
  deps: AccountAdministrationDeps,
): void {
  registerList(server, deps);
  registerChange(server, deps);
  registerResetLink(server, deps);
  registerShow(server, deps);
  registerRemove(server, deps);
}

function registerList(server: Server, deps: AccountAdministrationDeps): void {
  const schema = {
    operationId: "listAccounts",
    tags,
    summary: "List the accounts of this server, newest first; `q` finds words in name and address",
    querystring: Type.Object({ ...PageQuery.properties, q: Type.Optional(Type.String()) }),
    response: { 200: PageResponse(ListedAccountResponse) },
  };
  server.get(ACCOUNTS_PATH, { schema }, async (request) => {
    await deps.authenticateAdministrator(request);
    const { after, limit } = parsePage(request.query);
    const words = parseSearch(request.query.q ?? "");
    const accounts = await listAccounts(deps.context, { words, after, limit: limit + 1 });
    const { items, nextCursor } = toPage(accounts, limit);
    return { items: await toListedAccountResponses(deps, items), nextCursor };
  });
}

function registerChange(server: Server, deps: AccountAdministrationDeps): void {
  const schema = {
    operationId: "updateAccount",
    errorStatuses: [409],
    tags,
    summary:
      "Change whether an account is an administrator or suspended, or confirm its email address",
    description:
      "An address that an administrator confirms stays confirmed: nobody can take over the account by confirming it again. A suspended account has no sessions and cannot sign in, its own keys are invalid, and its devices get nothing. Needs a session that was opened by signing in: access tokens, and browsers that another one added, are refused.",
    params: IdParams,
    body: Type.Object({
      isAdmin: Type.Optional(Type.Boolean()),
      isSuspended: Type.Optional(Type.Boolean()),
      isEmailVerified: Type.Optional(
        addDocumentedKeywords(Type.Boolean({ description: "Must be `true`." }), { enum: [true] }),
      ),
    }),
    response: { 200: ListedAccountResponse },
  };
  server.patch(`${ACCOUNTS_PATH}/:id`, { schema }, async (request) => {
    const person = await deps.authenticateAdministrator(request);
    await requireDirectSession(deps.context, person);
    const { actor } = person;
    const { isAdmin, isSuspended, isEmailVerified } = request.body;
    if (isEmailVerified === false) {
      throw invalidField("isEmailVerified", "isEmailVerified must be true.");
    }
    const { id } = request.params;
    const change = { id, actor, isAdmin, isSuspended, isEmailVerified };
    const changedAccount = await changeOtherAccount(deps, change);
    const [response] = await toListedAccountResponses(deps, [changedAccount]);
    if (response === undefined) throw new Error("The result must have one entry per account.");
    return response;
  });
}

function registerResetLink(server: Server, deps: AccountAdministrationDeps): void {
  const schema = {
    operationId: "createResetLink",
    tags,
    summary: "Create a password reset link for an account, to share with its owner",
    description:
      "Works once, within a day. Using it does not confirm the account's email address. Needs a session that was opened by signing in: access tokens, and browsers that another one added, are refused.",
    params: IdParams,
    response: { 201: Type.Object({ link: Type.String(), expiresAt: Timestamp }) },
  };
  server.post(`${ACCOUNTS_PATH}/:id/reset-link`, { schema }, async (request, reply) => {
    const person = await deps.authenticateAdministrator(request);
    await requireDirectSession(deps.context, person);
    const { actor } = person;
    const resetLink = await createResetLink(deps, { accountId: request.params.id, actor });
    return reply.code(201).send(toResetLinkResponse(resetLink));
  });
}

function registerShow(server: Server, deps: AccountAdministrationDeps): void {
  const schema = {
    operationId: "getAccount",
    tags,
    summary: "Show what deleting an account would also affect",
    params: IdParams,
    response: {
      200: Type.Object({
        ...ListedAccountResponse.properties,
        heldTeams: Type.Array(
          Type.Object({
            id: Type.String(),
            name: Type.String(),
            heirName: Nullable(
              Type.String({
                description: "The team's next owner; null if the team is deleted too.",
              }),
            ),
          }),
          { description: "The teams that only this account owns." },
        ),
      }),
    },
  };
  server.get(`${ACCOUNTS_PATH}/:id`, { schema }, async (request) => {
    await deps.authenticateAdministrator(request);
    const { id } = request.params;
    const account = await findListedAccount(deps.context, id);
    if (account === null) throw createNoSuchAccountError();
    const [response] = await toListedAccountResponses(deps, [account]);
    if (response === undefined) throw new Error("The result must have one entry per account.");
    const teams = await deps.findTeamsToHandOver(id);
    const heldTeams = teams.map((team) => ({
      id: team.id,
      name: team.name,
      heirName: team.heir?.name ?? null,
    }));
    return { ...response, heldTeams };
  });
}

function registerRemove(server: Server, deps: AccountAdministrationDeps): void {
  const schema = {
    operationId: "deleteAccount",
    errorStatuses: [409],
    tags,
    summary: "Delete an account permanently, with its devices, keys, feed and sessions",
    description:
      "A team that only this account owns goes to its longest-standing admin, or else to its longest-standing member; a team without other members is deleted. One's own account and the last administrator are refused. If the deletion is interrupted, the account stays suspended and can be deleted again. Needs a session that was opened by signing in: access tokens, and browsers that another one added, are refused.",
    params: IdParams,
    response: { 204: Type.Null() },
  };
  server.delete(`${ACCOUNTS_PATH}/:id`, { schema }, async (request, reply) => {
    const person = await deps.authenticateAdministrator(request);
    await requireDirectSession(deps.context, person);
    const { actor } = person;
    await deleteOtherAccount(deps, { accountId: request.params.id, actor });
    return reply.code(204).send(null);
  });
}

function parseSearch(text: string): readonly string[] {
  const words = text.split(/\s+/u).filter((word) => word !== "");
  if (text.length <= SEARCH_MAX_CHARACTERS && words.length <= SEARCH_WORDS_MAX) return words;
  const limits = `${SEARCH_WORDS_MAX} words and ${SEARCH_MAX_CHARACTERS} characters`;
  throw invalidField("q", `q must have at most ${limits}.`);
}
