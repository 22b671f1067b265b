import { INVITATION_MAILS } from "@tocsin/sdk";
import { Type } from "#schema/json-schema.ts";
import { AppError } from "#errors.ts";
import type { Authenticate } from "#http/authenticate.ts";
import { EmailAddress } from "#http/schema.ts";
import type { Server } from "#http/server.ts";
import { InvitationAnswer } from "../schemas.ts";
import { showInvitation } from "./invitation.ts";
import { inviteWithLink, type TeamInvitationDeps } from "../inviting/invite.ts";
import { revokeInvitation } from "./revoke-invitation.ts";

export interface InvitationRouteDeps extends TeamInvitationDeps {
  readonly authenticate: Authenticate;
}

const tags = ["Invitations"];

const LinkedAnswer = Type.Object({
  ...InvitationAnswer.properties,
  link: Type.String({ description: "To share; shown only once." }),
  mail: Type.Enum([...INVITATION_MAILS], {
    description:
      "`queued`: an e-mail is being sent; `recent`: none, as this address got one in the last 24 hours; `off`: this server sends no e-mail.",
  }),
});

/** Registers the operations of a team on its invitations. */
export function registerInvitationRoutes(server: Server, deps: InvitationRouteDeps): void {
  inviteRoute(server, deps);
  revokeRoute(server, deps);
}

function inviteRoute(server: Server, deps: InvitationRouteDeps): void {
  const schema = {
    operationId: "createInvitation",
    refusals: [409, 429],
    summary: "Invite a person by e-mail address; for owners and admins",
    description:
      "Inviting again returns a new link and revokes the previous one; an e-mail is sent at most once in 24 hours.",
    tags,
    params: Type.Object({ teamId: Type.String() }),
    body: Type.Object({ email: EmailAddress }),
    response: { 200: LinkedAnswer, 201: LinkedAnswer },
  };
  server.post("/api/app/v1/teams/:teamId/invitations", { schema }, async (request, reply) => {
    const { accountId, actor } = await deps.authenticate(request);
    const { teamId } = request.params;
    const { email } = request.body;
    const result = await inviteWithLink(deps, { teamId, accountId, actor, email });
    if (result === null)
      throw new AppError("conflict", "This person is already a member of the team.");
    const { invitation, link, isNew, mail } = result;
    return reply.code(isNew ? 201 : 200).send({ ...showInvitation(invitation), link, mail });
  });
}

function revokeRoute(server: Server, { context, authenticate }: InvitationRouteDeps): void {
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
