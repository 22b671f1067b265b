import type { TeamRole } from "@tocsin/sdk";
import { AppError } from "#errors.ts";
import { teamNotFound } from "../team.ts";

/** The facts that determine whether an account may change a membership. */
export interface MembershipFacts {
  /** Role of the acting account; null if it is not in the team. */
  readonly actor: TeamRole | null;
  /** Role of the affected member; null if the account is not in the team. */
  readonly member: TeamRole | null;
  readonly isSelf: boolean;
  /** Current number of owners of the team. */
  readonly owners: number;
}

/** A change of a membership. */
export type MembershipChange =
  | { readonly kind: "end" }
  | { readonly kind: "role"; readonly role: TeamRole };

/** Returns whether a role may invite, remove and rename. */
export function canManage(role: TeamRole): boolean {
  return role !== "member";
}

/** Throws `not_found` for an account outside the team, and `forbidden` for a role that does not manage it. */
export function requireManager(role: TeamRole | null): void {
  if (role === null) throw teamNotFound();
  if (!canManage(role)) throw forbidden("Only an owner or admin of the team may do this.");
}

/** Throws `not_found` for an account outside the team, and `forbidden` for a role that does not own it. */
export function requireOwner(role: TeamRole | null): void {
  if (role === null) throw teamNotFound();
  if (role !== "owner") throw forbidden("Only an owner of the team may do this.");
}

/** Returns the change that ends a membership. Throws `forbidden`, `not_found` or `last_owner` if it is not allowed. */
export function decideRemoval(facts: MembershipFacts): MembershipChange {
  const member = requireAuthority(facts);
  if (member === "owner") requireAnotherOwner(facts);
  return { kind: "end" };
}

/** Returns the change of a role. Throws `forbidden`, `not_found` or `last_owner` if it is not allowed. */
export function decideRoleChange(facts: MembershipFacts, role: TeamRole): MembershipChange {
  requireManager(facts.actor);
  const member = requireAuthority(facts);
  if (role === "owner") requireOwner(facts.actor);
  if (member === "owner" && role !== "owner") requireAnotherOwner(facts);
  return { kind: "role", role };
}

/** Returns the error for an account that is not in the team. */
export function memberNotFound(): AppError {
  return new AppError("not_found", "There is no such member in this team.");
}

/** Returns the member's role. Members have authority over themselves; only an owner has authority over an owner. */
function requireAuthority({ actor, member, isSelf }: MembershipFacts): TeamRole {
  if (!isSelf) requireManager(actor);
  if (actor === null) throw teamNotFound();
  if (member === null) throw memberNotFound();
  if (!isSelf && member === "owner") requireOwner(actor);
  return member;
}

function requireAnotherOwner({ owners }: MembershipFacts): void {
  if (owners > 1) return;
  const message = "A team needs an owner. Make someone else an owner first, or delete the team.";
  throw new AppError("last_owner", message);
}

function forbidden(message: string): AppError {
  return new AppError("forbidden", message);
}
