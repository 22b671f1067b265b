import type { TeamRole } from "@tocsin/sdk";
import { AppError } from "#errors.ts";
import { teamNotFound } from "../team.ts";

/** The facts that decide whether a person may change a membership, their own or another's. */
export interface Standing {
  /** The role of the acting person; null outside the team. */
  readonly actor: TeamRole | null;
  /** The role of the person concerned; null outside the team. */
  readonly member: TeamRole | null;
  readonly isSelf: boolean;
  /** The number of owners that the team has now. */
  readonly owners: number;
}

/** A change of a membership. */
export type Alteration =
  | { readonly kind: "end" }
  | { readonly kind: "role"; readonly role: TeamRole };

/** Returns true for the roles that invite, remove and rename. */
export function mayManage(role: TeamRole): boolean {
  return role !== "member";
}

/** Throws `not_found` outside the team, and `forbidden` unless the role manages it. */
export function requireManager(role: TeamRole | null): void {
  if (role === null) throw teamNotFound();
  if (!mayManage(role)) throw forbidden("Only an owner or admin of the team may do this.");
}

/** Throws `not_found` outside the team, and `forbidden` unless the role owns it. */
export function requireOwner(role: TeamRole | null): void {
  if (role === null) throw teamNotFound();
  if (role !== "owner") throw forbidden("Only an owner of the team may do this.");
}

/** Returns the end of a membership; throws `forbidden`, `not_found` or `last_owner` if it may not end. */
export function decideRemoval(standing: Standing): Alteration {
  const member = requireAuthority(standing);
  if (member === "owner") requireAnotherOwner(standing);
  return { kind: "end" };
}

/** Returns the change of a role; throws `forbidden`, `not_found` or `last_owner` if it may not change. */
export function decideRoleChange(standing: Standing, role: TeamRole): Alteration {
  requireManager(standing.actor);
  const member = requireAuthority(standing);
  if (role === "owner") requireOwner(standing.actor);
  if (member === "owner" && role !== "owner") requireAnotherOwner(standing);
  return { kind: "role", role };
}

/** Returns the error for a person who is not in the team. */
export function memberNotFound(): AppError {
  return new AppError("not_found", "There is no such member in this team.");
}

/** Returns the member's role; everyone has authority over themselves, but only an owner over an owner. */
function requireAuthority({ actor, member, isSelf }: Standing): TeamRole {
  if (!isSelf) requireManager(actor);
  if (actor === null) throw teamNotFound();
  if (member === null) throw memberNotFound();
  if (!isSelf && member === "owner") requireOwner(actor);
  return member;
}

function requireAnotherOwner({ owners }: Standing): void {
  if (owners > 1) return;
  const message = "A team needs an owner. Make someone else an owner first, or delete the team.";
  throw new AppError("last_owner", message);
}

function forbidden(message: string): AppError {
  return new AppError("forbidden", message);
}
