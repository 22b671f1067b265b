import { parseEmail } from "#accounts/account.ts";
import type { Actor } from "#audit/event.ts";
import type { Context } from "#context.ts";
import { AppError } from "#errors.ts";
import { decideRemoval, mayManage, type Alteration, type Standing } from "../members/member.ts";
import { alterInvited } from "../members/store/members.ts";
import { unknownTeam } from "./managed-team.ts";

export interface RemoveInvitedDeps {
  readonly context: Context;
  /** Called after a team's members may have changed. */
  readonly onTeamChanged: (teamId: string) => void;
}

/**
 * Removes the member with an address from a team, or the invitation to it. Throws `invalid_email`, `unknown_team`,
 * `not_found` or `last_owner`.
 */
export async function removeInvited(
  deps: RemoveInvitedDeps,
  input: {
    readonly teamId: string;
    readonly accountId: string;
    readonly email: string;
    readonly by: Actor;
  },
): Promise<void> {
  const { teamId, accountId, by } = input;
  const email = parseEmail(input.email);
  await alterInvited(deps.context, {
    teamId,
    actorId: accountId,
    by,
    email,
    decide: decideRemovalOfInvited,
  });
  deps.onTeamChanged(teamId);
}

/** Returns the end of the membership, or null if there was only an invitation. */
function decideRemovalOfInvited(standing: Standing, wasInvited: boolean): Alteration | null {
  const { actor, member } = standing;
  if (actor === null || !mayManage(actor)) throw unknownTeam();
  if (member === null && wasInvited) return null;
  // The management API has no error for an owner whom an admin may not remove.
  if (member === null || (member === "owner" && actor !== "owner")) {
    const message = "There is no invitation for this address, and no member whom you may remove.";
    throw new AppError("not_found", message);
  }
  return decideRemoval(standing);
}
