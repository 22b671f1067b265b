import type { Team } from "@tocsin/sdk";
import type { Actor } from "#audit/event.ts";
import type { Context } from "#context.ts";
import { requireManager } from "./members/member.ts";
import { findMembership, updateTeamName } from "./store/teams.ts";
import { parseTeamName, createNoSuchTeamError } from "./team.ts";

/**
 * Renames a team. Throws `not_found` if the account is not in the team, `forbidden` if it does not manage the team, and
 * `invalid_field` if the name is invalid.
 */
export async function renameTeam(
  context: Context,
  input: {
    readonly teamId: string;
    readonly accountId: string;
    readonly name: string;
    readonly actor: Actor;
  },
): Promise<Team> {
  const team = await findMembership(context, input);
  if (team === null) throw createNoSuchTeamError();
  requireManager(team.role);
  const name = parseTeamName(input.name);
  await updateTeamName(context, { teamId: team.id, name, actor: input.actor });
  return { ...team, name };
}
