import { fetchJson } from "../http.ts";
import type { CallOptions } from "../request.ts";
import type { Server } from "../server.ts";
import type { ManagementResult, TeamInvitationRequest } from "../team.ts";

/** Returns the operations of the management API, which need the account key of an owner or admin of the team. */
export function createManagementOperations(server: Server) {
  return {
    /** Invites a person to a team. Safe to repeat: sends no second email within 24 hours. */
    invite: (request: TeamInvitationRequest, options: CallOptions = {}) =>
      callManagement(server, options, { operation: "management.invite", method: "POST", request }),

    /** Removes a member from a team, or revokes a pending invitation. */
    remove: (request: TeamInvitationRequest, options: CallOptions = {}) =>
      callManagement(server, options, {
        operation: "management.remove",
        method: "DELETE",
        request,
      }),
  };
}

async function callManagement(
  server: Server,
  { signal }: CallOptions,
  input: {
    readonly operation: "management.invite" | "management.remove";
    readonly method: "POST" | "DELETE";
    readonly request: TeamInvitationRequest;
  },
): Promise<ManagementResult> {
  const { operation, method, request } = input;
  const { body } = await fetchJson(server, {
    operation,
    method,
    path: ["api", "management", "v1", "teams", "invite"],
    body: request,
    auth: "key",
    secret: request.team,
    signal,
  });
  return body;
}
