import type { FastifyRequest } from "fastify";
import { Type } from "#schema/json-schema.ts";
import type { Actor } from "#audit/event.ts";
import { AppError } from "#errors.ts";
import { authenticateKey, createKeyActor, type FindPrincipal } from "#http/authenticate.ts";
import { EmailAddress } from "#http/schema.ts";
import type { Server } from "#http/server.ts";
import { inviteByMail, type TeamInvitationDeps } from "../inviting/invite.ts";
import { findManagedTeamId, type ManagedTeamDeps } from "./managed-team.ts";
import { removeInvitedPerson, type RemoveInvitedPersonDeps } from "./remove-invited.ts";

/** The dependencies of the management API. */
export interface ManagementRouteDeps
  extends TeamInvitationDeps, ManagedTeamDeps, RemoveInvitedPersonDeps {
  readonly findPrincipal: FindPrincipal;
}

const INVITE_PATH = "/api/management/v1/teams/invite";

const InviteBody = Type.Object({
  team: Type.String({ description: "A team key of the team." }),
  email: EmailAddress,
});

const DoneResponse = Type.Object({ success: Type.Literal(true), message: Type.String() });

const KeyHeaders = Type.Object({
  "x-api-key": Type.Optional(
    Type.String({ description: "An account key of an owner or admin of the team." }),
  ),
});

/** Registers the management API, which invites a person to a team and removes a member or an invitation. */
export function registerManagementRoutes(server: Server, deps: ManagementRouteDeps): void {
  // The key is checked before the body is read. The handler looks up the caller here.
  const callers = new WeakMap<FastifyRequest, AccountKeyOwner>();
  const onRequest = async (request: FastifyRequest) => {
    callers.set(request, await authenticateAccountKey(deps, request));
  };
  const getCaller = (request: FastifyRequest) => {
    const caller = callers.get(request);
    if (caller === undefined) throw new Error("The key of this request was not checked.");
    return caller;
  };

  const invite = { ...createSchema("inviteToTeam"), summary: "Invite a person to a team" };
  server.post(INVITE_PATH, { schema: invite, onRequest }, async (request) => {
    const { team, email } = request.body;
    const { accountId, actor } = getCaller(request);
    const teamId = await findManagedTeamId(deps, { key: team, accountId });
    await inviteByMail(deps, { teamId, accountId, email, actor });
    return { success: true, message: "Invite sent" } as const;
  });

  const remove = {
    ...createSchema("removeFromTeam"),
    summary: "Remove a member from a team, or revoke an invitation",
  };
  server.delete(INVITE_PATH, { schema: remove, onRequest }, async (request) => {
    const { team, email } = request.body;
    const { accountId, actor } = getCaller(request);
    const teamId = await findManagedTeamId(deps, { key: team, accountId });
    await removeInvitedPerson(deps, { teamId, accountId, email, actor });
    return { success: true, message: "Invite/member removed" } as const;
  });
}

function createSchema(operationId: string) {
  return {
    operationId,
    tags: ["Management (beta)"],
    headers: KeyHeaders,
    body: InviteBody,
    response: { 200: DoneResponse },
  };
}

/** The owner of an account key. */
interface AccountKeyOwner {
  readonly accountId: string;
  readonly actor: Actor;
}

async function authenticateAccountKey(
  { findPrincipal }: ManagementRouteDeps,
  request: FastifyRequest,
): Promise<AccountKeyOwner> {
  const principal = await authenticateKey(findPrincipal, request);
  if (principal.kind === "account") {
    return { accountId: principal.accountId, actor: createKeyActor(request, principal) };
  }
  const message = "Teams are managed with an account key; the team key belongs in the body.";
  throw new AppError("wrong_key_kind", message);
}
