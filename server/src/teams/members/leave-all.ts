import { AppError } from "#errors.ts";
import type { Actor } from "#audit/event.ts";
import { findSoleOwnedTeams } from "../store/sole-owned-teams.ts";
import { listMemberships } from "../store/teams.ts";
import { leaveTeam, type RemoveMemberDeps } from "./remove-member.ts";

const BATCH_MAX = 100;

/**
 * Removes an account from all its teams. The ended memberships stay on record. Throws `last_owner` before any change if
 * the account is the only owner of a team. Safe to repeat after an interruption.
 */
export async function leaveAllTeams(
  deps: RemoveMemberDeps,
  { accountId, actor }: { readonly accountId: string; readonly actor: Actor },
): Promise<void> {
  const { context } = deps;
  const teams = await findSoleOwnedTeams(context, accountId);
  if (teams.length > 0) throw createLastOwnerError(teams.map(({ name }) => name));
  for (;;) {
    const query = { accountId, after: null, limit: BATCH_MAX };
    const memberships = await listMemberships(context, query);
    for (const { id: teamId } of memberships) {
      await leaveTeam(deps, { teamId, actorId: accountId, actor });
    }
    if (memberships.length < BATCH_MAX) return;
  }
}

function createLastOwnerError(names: readonly string[]): AppError {
  const advice = "A team needs an owner: make someone else an owner first, or delete it.";
  const message = `You are the only owner of ${names.join(", ")}. ${advice}`;
  return new AppError("last_owner", message);
}
