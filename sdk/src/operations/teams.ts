import type { PageQuery } from "../page.ts";
import type { CallOptions } from "../request.ts";
import type { NewInvitation, NewTeam, RoleChange } from "../team.ts";
import type { AppApi } from "./app-api.ts";

/** Returns the operations on the account's teams, their members and their invitations. */
export function createTeamOperations(app: AppApi) {
  return {
    /** Returns the teams of the account, in pages. */
    list: (query: PageQuery = {}, options: CallOptions = {}) =>
      app.get({ ...options, operation: "teams.list", path: ["teams"], query }),

    /** Creates a team with the account as its owner; only this response contains its first team key. */
    create: (input: NewTeam, options: CallOptions = {}) =>
      app.post({ ...options, operation: "teams.create", path: ["teams"], body: input }),

    /** Returns a team with its members and invitations. */
    get: (id: string, options: CallOptions = {}) =>
      app.get({ ...options, operation: "teams.get", path: ["teams", id] }),

    /** Returns the devices of the members, including recently left devices; only for managers of the team. */
    devices: (id: string, query: PageQuery = {}, options: CallOptions = {}) =>
      app.get({ ...options, operation: "teams.devices", path: ["teams", id, "devices"], query }),

    /** Renames a team. */
    update: (id: string, input: NewTeam, options: CallOptions = {}) =>
      app.patch({ ...options, operation: "teams.update", path: ["teams", id], body: input }),

    /** Deletes a team. */
    remove: (id: string, options: CallOptions = {}) =>
      app.delete({ ...options, operation: "teams.remove", path: ["teams", id] }),

    /** Invites a person by email address; the response contains the link to pass on. */
    invite: (id: string, input: NewInvitation, options: CallOptions = {}) =>
      app.post({
        ...options,
        operation: "teams.invite",
        path: ["teams", id, "invitations"],
        body: input,
      }),

    /** Revokes an invitation. */
    removeInvitation: (id: string, invitationId: string, options: CallOptions = {}) =>
      app.delete({
        ...options,
        operation: "teams.removeInvitation",
        path: ["teams", id, "invitations", invitationId],
      }),

    ...createMemberOperations(app),
  };
}

function createMemberOperations(app: AppApi) {
  return {
    /** Changes the role of a member. `memberId` is the member's `accountId` in the team. */
    updateMember: (id: string, memberId: string, input: RoleChange, options: CallOptions = {}) =>
      app.patch({
        ...options,
        operation: "teams.updateMember",
        path: ["teams", id, "members", memberId],
        body: input,
      }),

    /** Removes a member. `memberId` is the member's `accountId` in the team. */
    removeMember: (id: string, memberId: string, options: CallOptions = {}) =>
      app.delete({
        ...options,
        operation: "teams.removeMember",
        path: ["teams", id, "members", memberId],
      }),

    /** Ends the account's membership in a team. */
    leave: (id: string, options: CallOptions = {}) =>
      app.postWithoutResponse({
        ...options,
        operation: "teams.leave",
        path: ["teams", id, "leave"],
      }),
  };
}
