import type { TeamRole } from "@tocsin/sdk";
import { AppError } from "#errors.ts";
import { createNoSuchTeamError } from "../team.ts";

/** The facts that determine whether an account may change a membership. */
export interface MembershipFacts {
  /** Role of the acting account; null if it is not in the team. */
  readonly actorRole: TeamRole | null;
  /** Role of the affected member; null if the account is not in the team. */
  readonly memberRole: TeamRole | null;
  readonly isSelf: boolean;
  /** Current number of owners of the team. */
  readonly ownerCount: number;
}

/** A change of a membership. */
export type MembershipChange =
  | { readonly kind: "end" }
  | { readonly kind: "role"; readonly role: TeamRole };

/** Returns whether a role may invite, remove and rename. */
export function canManage(role: TeamRole): boolean {
  return role !== "member";
}

/** Throws `not_found` if the account is not in the team, and `forbidden` if its role does not manage the team. */
export function requireManager(role: TeamRole | null): void {
  if (role === null) throw createNoSuchTeamError();
  if (!canManage(role))
    throw createForbiddenError("Only an owner or admin of the team may do this.");
}

/** Throws `not_found` if the account is not in the team, and `forbidden` if its role does not own the team. */
export function requireOwner(role: TeamRole | null): void {
  if (role === null) throw createNoSuchTeamError();
  if (role !== "owner") throw createForbiddenError("Only an owner of the team may do this.");
}

/**
 * Returns the change that ends a membership. Throws `forbidden` if the actor's role does not allow it, `not_found` if
 * the actor or the member is not in the team, and `last_owner` if the team would lose its only owner.
 */
export function decideRemoval(facts: MembershipFacts): MembershipChange {
  const memberRole = requireAuthority(facts);
  if (memberRole === "owner") requireAnotherOwner(facts);
  return { kind: "end" };
}

/**
 * Returns the change of a role. Throws `forbidden` if the actor's role does not allow it, `not_found` if the actor or
 * the member is not in the team, and `last_owner` if the team would lose its only owner.
 */
export function decideRoleChange(facts: MembershipFacts, role: TeamRole): MembershipChange {
  requireManager(facts.actorRole);
  const memberRole = requireAuthority(facts);
  if (role === "owner") requireOwner(facts.actorRole);
  if (memberRole === "owner" && role !== "owner") requireAnotherOwner(facts);
  return { kind: "role", role };
}

/** Returns the error for an account that is not in the team. */
export function createNoSuchMemberError(): AppError {
  return new AppError("not_found", "There is no such member in this team.");
}

/** Returns the member's role. Members have authority over themselves; only an owner has authority over an owner. */
function requireAuthority({ actorRole, memberRole, isSelf }: MembershipFacts): TeamRole {
  if (!isSelf) requireManager(actorRole);
  if (actorRole === null) throw createNoSuchTeamError();
  if (memberRole === null) throw createNoSuchMemberError();
  if (!isSelf && memberRole === "owner") requireOwner(actorRole);
  return memberRole;
}

function requireAnotherOwner({ ownerCount }: MembershipFacts): void {
  if (ownerCount > 1) return;
  const message = "A team needs an owner. Make someone else an owner first, or delete the team.";
  throw new AppError("last_owner", message);
}

function createForbiddenError(message: string): AppError {
  return new AppError("forbidden", message);
}
