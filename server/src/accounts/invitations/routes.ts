import { Type } from "#schema/json-schema.ts";
import { AppError } from "#errors.ts";
import type { Authenticate } from "#http/authenticate.ts";
import { PageQuery, toPage, parsePage } from "#http/page.ts";
import { EmailAddressOrNone, IdParams, Nullable, PageResponse, Timestamp } from "#http/schema.ts";
import type { Server } from "#http/server.ts";
import { createAttemptLimit } from "../attempt-limit.ts";
import { toSignUpInvitationResponse } from "./response.ts";
import { inviteToServer, type ServerInvitationDeps } from "./invite.ts";
import { listSignUpInvitations, removeSignUpInvitation } from "./store.ts";

/** The dependencies of the routes for invitations to the server. */
export interface SignUpInvitationRouteDeps extends ServerInvitationDeps {
  readonly authenticateAdministrator: Authenticate;
}

/** Limit per administrator, so that this server cannot be used to flood mailboxes. */
const INVITE_RATE = { name: "invitation to sign up", burst: 50, perHour: 100 };
const INVITATIONS_PATH = "/api/app/v1/admin/invitations";
const tags = ["Administration"];

const InvitationResponse = Type.Object({
  id: Type.String(),
  email: Nullable(Type.String({ description: "Null if anyone with the link can use it." })),
  createdAt: Timestamp,
  expiresAt: Timestamp,
});

const LinkedInvitationResponse = Type.Object({
  ...InvitationResponse.properties,
  link: Type.String({ description: "Shown only once; valid for seven days and one account." }),
  isMailed: Type.Boolean(),
});

/** Registers the operations of administrators on invitations to the server. */
export function registerSignUpInvitationRoutes(
  server: Server,
  deps: SignUpInvitationRouteDeps,
): void {
  registerList(server, deps);
  registerCreate(server, deps);
  registerRemove(server, deps);
}

function registerList(
  server: Server,
  { context, authenticateAdministrator }: SignUpInvitationRouteDeps,
): void {
  const schema = {
    operationId: "listSignUpInvitations",
    tags,
    summary: "List the invitations to this server that were not used yet, newest first",
    querystring: PageQuery,
    response: { 200: PageResponse(InvitationResponse) },
  };
  server.get(INVITATIONS_PATH, { schema }, async (request) => {
    await authenticateAdministrator(request);
    const { after, limit } = parsePage(request.query);
    const invitations = await listSignUpInvitations(context, { after, limit: limit + 1 });
    return toPage(invitations.map(toSignUpInvitationResponse), limit);
  });
}

function registerCreate(server: Server, deps: SignUpInvitationRouteDeps): void {
  const limit = createAttemptLimit(deps.context, INVITE_RATE);
  const schema = {
    operationId: "createSignUpInvitation",
    errorStatuses: [409, 429],
    tags,
    summary:
      "Invite a person to this server; with an email address, only that person can use the link, and gets it by email",
    body: Type.Object({ email: Type.Optional(EmailAddressOrNone) }),
    response: { 201: LinkedInvitationResponse },
  };
  server.post(INVITATIONS_PATH, { schema }, async (request, reply) => {
    const { accountId, actor } = await deps.authenticateAdministrator(request);
    await limit.take(accountId);
    const email = request.body.email ?? "";
    const input = { invitedBy: accountId, email: email === "" ? null : email, actor };
    const { link, isMailed, ...invitation } = await inviteToServer(deps, input);
    return reply.code(201).send({ ...toSignUpInvitationResponse(invitation), link, isMailed });
  });
}

function registerRemove(
  server: Server,
  { context, authenticateAdministrator }: SignUpInvitationRouteDeps,
): void {
  const schema = {
    operationId: "removeSignUpInvitation",
    tags,
    summary: "Revoke an invitation to this server",
    params: IdParams,
    response: { 204: Type.Null() },
  };
  server.delete(`${INVITATIONS_PATH}/:id`, { schema }, async (request, reply) => {
    const { actor } = await authenticateAdministrator(request);
    if (!(await removeSignUpInvitation(context, { id: request.params.id, actor }))) {
      throw new AppError("not_found", "There is no such invitation.");
    }
    return reply.code(204).send(null);
  });
}
