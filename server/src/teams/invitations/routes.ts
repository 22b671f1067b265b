import { INVITATION_MAILS } from "@tocsin/sdk";
import { Type } from "#schema/json-schema.ts";
import { AppError } from "#errors.ts";
import type { Authenticate } from "#http/authenticate.ts";
import { EmailAddress } from "#http/schema.ts";
import type { Server } from "#http/server.ts";
import { InvitationResponse } from "../schemas.ts";
import { toInvitationResponse } from "./invitation.ts";
import { inviteWithLink, type TeamInvitationDeps } from "../inviting/invite.ts";
import { revokeInvitation } from "./revoke-invitation.ts";

/** The dependencies of a team's invitation routes. */
export interface InvitationRouteDeps extends TeamInvitationDeps {
  readonly authenticate: Authenticate;
}

const tags = ["Invitations"];

const LinkedInvitationResponse = Type.Object({
  ...InvitationResponse.properties,
  link: Type.String({ description: "The link to share. It is shown only once." }),
  mail: Type.Enum([...INVITATION_MAILS], {
    description:
      "`queued`: an email is being sent; `recent`: no email is sent, because this address received one in the last 24 hours; `off`: this server sends no email.",
  }),
});

/** Registers the routes that create and revoke a team's invitations. */
export function registerInvitationRoutes(server: Server, deps: InvitationRouteDeps): void {
  registerInviteRoute(server, deps);
  registerRevokeRoute(server, deps);
}

function registerInviteRoute(server: Server, deps: InvitationRouteDeps): void {
  const schema = {
    operationId: "createInvitation",
    errorStatuses: [409, 429],
    summary: "Invite a person by email address; for owners and admins",
    description:
      "Inviting again returns a new link and revokes the previous one; an email is sent at most once in 24 hours.",
    tags,
    params: Type.Object({ teamId: Type.String() }),
    body: Type.Object({ email: EmailAddress }),
    response: { 200: LinkedInvitationResponse, 201: LinkedInvitationResponse },
  };
  server.post("/api/app/v1/teams/:teamId/invitations", { schema }, async (request, reply) => {
    const { accountId, actor } = await deps.authenticate(request);
    const { teamId } = request.params;
    const { email } = request.body;
    const result = await inviteWithLink(deps, { teamId, accountId, actor, email });
    if (result === null)
      throw new AppError("conflict", "This person is already a member of the team.");
    const { invitation, link, isNew, mail } = result;
    return reply.code(isNew ? 201 : 200).send({ ...toInvitationResponse(invitation), link, mail });
  });
}

function registerRevokeRoute(server: Server, { context, authenticate }: InvitationRouteDeps): void {
  const schema = {
    operationId: "revokeInvitation",
    summary: "Revoke an invitation; for owners and admins",
    tags,
    params: Type.Object({ teamId: Type.String(), invitationId: Type.String() }),
    response: { 204: Type.Null() },
  };
  const path = "/api/app/v1/teams/:teamId/invitations/:invitationId";
  server.delete(path, { schema }, async (request, reply) => {
    const { accountId, actor } = await authenticate(request);
    const { teamId, invitationId } = request.params;
    await revokeInvitation(context, { accountId, actor, teamId, invitationId });
    return reply.code(204).send(null);
  });
}
