import type { Context } from "#context.ts";
import { AppError } from "#errors.ts";
import { listManagedTeamIds } from "#teams/store/teams.ts";
import type { PolicyManager } from "./policy.ts";

/** Returns an account with its managed teams: the owners whose policies it may read and change. */
export async function findManager(context: Context, accountId: string): Promise<PolicyManager> {
  return { accountId, teamIds: await listManagedTeamIds(context, accountId) };
}

/** Returns the error for a missing policy, and for another owner's, so that the two look the same. */
export function createNoSuchPolicyError(): AppError {
  return new AppError("not_found", "You have no such escalation policy.");
}
