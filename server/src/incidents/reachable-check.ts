import type { Context } from "#context.ts";
import { findCurrentMembers } from "#teams/store/teams.ts";
import type { IncidentOwner } from "./incident.ts";
import type { ToldAudience } from "./told-audience.ts";

/**
 * Returns a function that returns whether an audience may still be told. A person whom a team's policy named may not
 * be told after leaving the team.
 */
export async function createReachableCheck(
  context: Context,
  { told, owner }: { readonly told: readonly ToldAudience[]; readonly owner: IncidentOwner },
): Promise<(one: ToldAudience) => boolean> {
  const { teamId } = owner;
  if (teamId === null) return () => true;
  const accountIds = told.flatMap(({ audience }) =>
    audience.kind === "team" ? [] : [audience.accountId],
  );
  if (accountIds.length === 0) return () => true;
  const roles = ["owner", "admin", "member"] as const;
  const members = new Set(await findCurrentMembers(context, { teamId, accountIds, roles }));
  return ({ audience }) => audience.kind === "team" || members.has(audience.accountId);
}
