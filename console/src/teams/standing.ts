import { TEAM_ROLES, type TeamDetail, type TeamRole } from "@tocsin/sdk";

/** Returns whether one with the role may change or remove another with the other role. */
export function mayChange(mine: TeamRole, theirs: TeamRole): boolean {
  return mine === "owner" || (mine === "admin" && theirs !== "owner");
}

/** Returns the roles that one with the role may give to others. */
export function rolesFor(mine: TeamRole): readonly TeamRole[] {
  return mine === "owner" ? TEAM_ROLES : TEAM_ROLES.filter((role) => role !== "owner");
}

/** Returns how many owners a team has. */
export function ownersOf({ members }: Pick<TeamDetail, "members">): number {
  return members.filter(({ role }) => role === "owner").length;
}
