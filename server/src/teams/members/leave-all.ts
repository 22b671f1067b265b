import { AppError } from "#errors.ts";
import type { Actor } from "#audit/event.ts";
import { heldAlone } from "../store/held.ts";
import { listMemberships } from "../store/teams.ts";
import { leaveTeam, type RemoveMemberDeps } from "./remove-member.ts";

const BATCH_MAX = 100;

/**
 * Removes an account from all its teams; its past stays there. Throws `last_owner` if it is the only owner of one,
 * before it leaves any. Safe to repeat after an interruption.
 */
export async function leaveAllTeams(
  deps: RemoveMemberDeps,
  { accountId, by }: { readonly accountId: string; readonly by: Actor },
): Promise<void> {
  const { context } = deps;
  const held = await heldAlone(context, accountId);
  if (held.length > 0) throw ownerIsNeeded(held.map(({ name }) => name));
  for (;;) {
    const page = { accountId, after: null, limit: BATCH_MAX };
    const memberships = await listMemberships(context, page);
    for (const { id: teamId } of memberships) {
      await leaveTeam(deps, { teamId, actorId: accountId, by });
    }
    if (memberships.length < BATCH_MAX) return;
  }
}

function ownerIsNeeded(names: readonly string[]): AppError {
  const message = `You are the only owner of ${names.join(", ")}. Make someone else an owner first, or delete the team.`;
  return new AppError("last_owner", message);
}
