import type { Context } from "#context.ts";
import { AppError } from "#errors.ts";
import { listManagedTeamIds } from "#teams/store/teams.ts";
import type { PolicyManager } from "./policy.ts";

/** Returns the owners whose policies an account may read and change. */
export async function findManager(context: Context, accountId: string): Promise<PolicyManager> {
  return { accountId, teamIds: await listManagedTeamIds(context, accountId) };
}

/** Returns the same error for another owner's policy as for a missing one. */
export function createNoSuchPolicyError(): AppError {
  return new AppError("not_found", "You have no such escalation policy.");
}
