import { TEAM_ROLES, type TeamDetail, type TeamRole } from "@tocsin/sdk";

/** Returns whether a member with the role `mine` can change or remove a member with the role `theirs`. */
export function canChange(mine: TeamRole, theirs: TeamRole): boolean {
  return mine === "owner" || (mine === "admin" && theirs !== "owner");
}

/** Returns the roles that a member with the role `mine` can assign to others. */
export function assignableRoles(mine: TeamRole): readonly TeamRole[] {
  return mine === "owner" ? TEAM_ROLES : TEAM_ROLES.filter((role) => role !== "owner");
}

/** Returns the number of owners of a team. */
export function countOwners({ members }: Pick<TeamDetail, "members">): number {
  return members.filter(({ role }) => role === "owner").length;
}
