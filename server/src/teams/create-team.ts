import type { JoinedStatement } from "#accounts/store/accounts.ts";
import type { CreatedTeam } from "@tocsin/sdk";
import type { Actor } from "#audit/event.ts";
import { insertEventQuery } from "#audit/store.ts";
import type { Context } from "#context.ts";
import { AppError } from "#errors.ts";
import { insertTeam } from "./members/store/members.ts";
import { parseTeamName } from "./team.ts";

/** A new team key and the statement that stores it. The keys room provides both. */
export interface NewTeamKey {
  readonly key: string;
  readonly insertStatement: JoinedStatement;
}

/** The dependencies of `createTeam`. */
export interface CreateTeamDeps {
  readonly context: Context;
  /** Returns the first key of a team and the statement that stores it. */
  readonly draftTeamKey: (owner: {
    readonly teamId: string;
    readonly accountId: string;
  }) => NewTeamKey;
}

/** Maximum number of teams that an account may own. */
export const OWNED_TEAMS_MAX = 200;

/**
 * Creates a team, its first owner and its first key in one commit. The key cannot be read again. Throws `invalid_field`
 * if the name is invalid, and `conflict` if the account owns the maximum of teams.
 */
export async function createTeam(
  deps: CreateTeamDeps,
  input: { readonly accountId: string; readonly name: string; readonly actor: Actor },
): Promise<CreatedTeam> {
  const { accountId, actor } = input;
  const name = parseTeamName(input.name);
  const teamId = deps.context.newId();
  const { key, insertStatement } = deps.draftTeamKey({ teamId, accountId });
  const event = { action: "team_made", actor, accountId: null, teamId } as const;
  const joinedStatements = [insertStatement, insertEventQuery(deps.context, event)];
  const isCreated = await insertTeam(deps.context, {
    teamId,
    name,
    accountId,
    limit: OWNED_TEAMS_MAX,
    joinedStatements,
  });
  if (!isCreated) {
    const message = `An account can own at most ${OWNED_TEAMS_MAX} teams. Delete a team first, or make another member an owner of it and leave it.`;
    throw new AppError("conflict", message);
  }
  return { id: teamId, name, role: "owner", key };
}
