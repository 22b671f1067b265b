import { parseEmail } from "#accounts/account.ts";
import type { Actor } from "#audit/event.ts";
import type { Context } from "#context.ts";
import { AppError } from "#errors.ts";
import {
  decideRemoval,
  canManage,
  type MembershipChange,
  type MembershipFacts,
} from "../members/member.ts";
import { changeInvitedPerson } from "../members/store/members.ts";
import { createUnknownTeamError } from "./managed-team.ts";

/** The dependencies of `removeInvitedPerson`. */
export interface RemoveInvitedPersonDeps {
  readonly context: Context;
  /** Called after a team's members may have changed. */
  readonly onTeamChanged: (teamId: string) => void;
}

/**
 * Removes the member with an email address from a team, or revokes the invitation to that address. Throws
 * `invalid_email` if the address is invalid, `unknown_team` if the account does not manage the team, `not_found` if
 * there is neither an invitation nor a member that the account may remove, and `last_owner` if the team would lose its
 * only owner.
 */
export async function removeInvitedPerson(
  deps: RemoveInvitedPersonDeps,
  input: {
    readonly teamId: string;
    readonly accountId: string;
    readonly email: string;
    readonly actor: Actor;
  },
): Promise<void> {
  const { teamId, accountId, actor } = input;
  const email = parseEmail(input.email);
  await changeInvitedPerson(deps.context, {
    teamId,
    actorId: accountId,
    actor,
    email,
    decide: decideRemovalOfInvited,
  });
  deps.onTeamChanged(teamId);
}

/** Returns the membership change that ends the membership; null if there was only an invitation. */
function decideRemovalOfInvited(
  facts: MembershipFacts,
  wasInvited: boolean,
): MembershipChange | null {
  const { actorRole, memberRole } = facts;
  if (actorRole === null || !canManage(actorRole)) throw createUnknownTeamError();
  if (memberRole === null && wasInvited) return null;
  // The management API has no error for an owner that an admin may not remove.
  if (memberRole === null || (memberRole === "owner" && actorRole !== "owner")) {
    const message = "There is no invitation for this address, and no member that you may remove.";
    throw new AppError("not_found", message);
  }
  return decideRemoval(facts);
}
