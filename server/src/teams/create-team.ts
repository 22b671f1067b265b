import type { ForeignStatement } from "#accounts/store/accounts.ts";
import type { CreatedTeam } from "@tocsin/sdk";
import type { Actor } from "#audit/event.ts";
import { auditInsert } from "#audit/store.ts";
import type { Context } from "#context.ts";
import { AppError } from "#errors.ts";
import { insertTeam } from "./members/store/members.ts";
import { parseTeamName } from "./team.ts";

/** A new team key and the statement that stores it; the keys room provides it. */
export interface NewTeamKey {
  readonly key: string;
  readonly insert: ForeignStatement;
}

export interface CreateTeamDeps {
  readonly context: Context;
  readonly newTeamKey: (owner: {
    readonly teamId: string;
    readonly accountId: string;
  }) => NewTeamKey;
}

/** The most teams that an account may own when it creates one. */
export const TEAMS_MAX = 200;

/**
 * Creates a team, its first owner and its first key in one commit; only this answer shows the key. Throws `conflict` if
 * the account owns as many teams as it may.
 */
export async function createTeam(
  deps: CreateTeamDeps,
  input: { readonly accountId: string; readonly name: string; readonly by: Actor },
): Promise<CreatedTeam> {
  const { accountId, by } = input;
  const name = parseTeamName(input.name);
  const teamId = deps.context.newId();
  const { key, insert } = deps.newTeamKey({ teamId, accountId });
  const event = { action: "team_made", by, accountId: null, teamId } as const;
  const alongside = [insert, auditInsert(deps.context, event)];
  const isMade = await insertTeam(deps.context, {
    teamId,
    name,
    accountId,
    most: TEAMS_MAX,
    alongside,
  });
  if (!isMade) {
    const message = `An account owns at most ${TEAMS_MAX} teams. Delete one first, or make somebody else its owner.`;
    throw new AppError("conflict", message);
  }
  return { id: teamId, name, role: "owner", key };
}
