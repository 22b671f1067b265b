import { TEAM_ROLES, type TeamDetail, type TeamRole } from "@tocsin/sdk";

/** Returns whether a member with the role `mine` may change or remove one with the role `theirs`. */
export function mayChange(mine: TeamRole, theirs: TeamRole): boolean {
  return mine === "owner" || (mine === "admin" && theirs !== "owner");
}

/** Returns the roles that a member with the role may give to others. */
export function rolesFor(mine: TeamRole): readonly TeamRole[] {
  return mine === "owner" ? TEAM_ROLES : TEAM_ROLES.filter((role) => role !== "owner");
}

/** Returns the number of owners of a team. */
export function ownersOf({ members }: Pick<TeamDetail, "members">): number {
  return members.filter(({ role }) => role === "owner").length;
}
