import type { Team } from "@tocsin/sdk";
import type { Actor } from "#audit/event.ts";
import type { Context } from "#context.ts";
import { requireManager } from "./members/member.ts";
import { findMembership, renameTeam as storeName } from "./store/teams.ts";
import { parseTeamName, teamNotFound } from "./team.ts";

/** Gives a team another name; throws `not_found` or `forbidden` for those who do not manage it. */
export async function renameTeam(
  context: Context,
  input: {
    readonly teamId: string;
    readonly accountId: string;
    readonly name: string;
    readonly by: Actor;
  },
): Promise<Team> {
  const team = await findMembership(context, input);
  if (team === null) throw teamNotFound();
  requireManager(team.role);
  const name = parseTeamName(input.name);
  await storeName(context, { teamId: team.id, name, by: input.by });
  return { ...team, name };
}
