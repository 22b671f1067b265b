import type { Context } from "#context.ts";
import { AppError } from "#errors.ts";
import { isManager } from "../store/teams.ts";

/** The dependencies of `findManagedTeamId`. */
export interface ManagedTeamDeps {
  readonly context: Context;
  /** Returns the id of the team of a valid team key; null for any other string. The keys room provides it. */
  readonly findTeamByKey: (key: string) => Promise<string | null>;
}

/** Returns the id of a team key's team; throws `unknown_team` for any other key, or if the account does not manage the team. */
export async function findManagedTeamId(
  deps: ManagedTeamDeps,
  { key, accountId }: { readonly key: string; readonly accountId: string },
): Promise<string> {
  const teamId = await deps.findTeamByKey(key.trim());
  if (teamId === null || !(await isManager(deps.context, { teamId, accountId })))
    throw createUnknownTeamError();
  return teamId;
}

/**
 * Returns the error for a team key that is malformed, unknown, revoked, or of a team that the account does not manage.
 * It is always the same.
 */
export function createUnknownTeamError(): AppError {
  return new AppError("unknown_team", "There is no team with this key that you may manage.");
}
