import { TEAM_ROLES, type TeamDetail, type TeamRole } from "@tocsin/sdk";

/** Returns whether a member with the role `ownRole` can change or remove a member with the role `otherRole`. */
export function canChangeMember(ownRole: TeamRole, otherRole: TeamRole): boolean {
  return ownRole === "owner" || (ownRole === "admin" && otherRole !== "owner");
}

/** Returns the roles that a member with the role `ownRole` can assign to others. */
export function getAssignableRoles(ownRole: TeamRole): readonly TeamRole[] {
  return ownRole === "owner" ? TEAM_ROLES : TEAM_ROLES.filter((role) => role !== "owner");
}

/** Returns the number of owners of a team. */
export function countOwners({ members }: Pick<TeamDetail, "members">): number {
  return members.filter(({ role }) => role === "owner").length;
}
