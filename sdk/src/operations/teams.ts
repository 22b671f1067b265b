import type { PageQuery } from "../page.ts";
import type { CallOptions } from "../request.ts";
import type { NewInvitation, NewTeam, RoleChange } from "../team.ts";
import type { AppApi } from "./app-api.ts";

/** Returns the operations on the teams one belongs to, their members and their invitations. */
export function teamOperations(app: AppApi) {
  return {
    list: (query: PageQuery = {}, options: CallOptions = {}) =>
      app.get({ ...options, operation: "teams.list", path: ["teams"], query }),

    /** Creates a team with me as its owner; only this answer shows its first team key. */
    create: (input: NewTeam, options: CallOptions = {}) =>
      app.post({ ...options, operation: "teams.create", path: ["teams"], body: input }),

    get: (id: string, options: CallOptions = {}) =>
      app.get({ ...options, operation: "teams.get", path: ["teams", id] }),

    /** Returns the devices of its members, and those that left recently; only for managers of the team. */
    devices: (id: string, query: PageQuery = {}, options: CallOptions = {}) =>
      app.get({ ...options, operation: "teams.devices", path: ["teams", id, "devices"], query }),

    update: (id: string, input: NewTeam, options: CallOptions = {}) =>
      app.patch({ ...options, operation: "teams.update", path: ["teams", id], body: input }),

    remove: (id: string, options: CallOptions = {}) =>
      app.remove({ ...options, operation: "teams.remove", path: ["teams", id] }),

    /** Invites a person by e-mail address; the answer contains the link to hand over. */
    invite: (id: string, input: NewInvitation, options: CallOptions = {}) =>
      app.post({
        ...options,
        operation: "teams.invite",
        path: ["teams", id, "invitations"],
        body: input,
      }),

    removeInvitation: (id: string, invitationId: string, options: CallOptions = {}) =>
      app.remove({
        ...options,
        operation: "teams.removeInvitation",
        path: ["teams", id, "invitations", invitationId],
      }),

    /** Changes the role of a member, given the `accountId` that the team shows: the member id. */
    updateMember: (id: string, memberId: string, input: RoleChange, options: CallOptions = {}) =>
      app.patch({
        ...options,
        operation: "teams.updateMember",
        path: ["teams", id, "members", memberId],
        body: input,
      }),

    /** Removes a member, given the `accountId` that the team shows: the member id. */
    removeMember: (id: string, memberId: string, options: CallOptions = {}) =>
      app.remove({
        ...options,
        operation: "teams.removeMember",
        path: ["teams", id, "members", memberId],
      }),

    leave: (id: string, options: CallOptions = {}) =>
      app.tell({ ...options, operation: "teams.leave", path: ["teams", id, "leave"] }),
  };
}
