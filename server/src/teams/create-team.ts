import type { CreatedTeam } from "@tocsin/sdk";
import type { Context } from "#context.ts";
import { insertTeam } from "./members/store.ts";
import type { ForeignStatement } from "./store.ts";
import { parseTeamName } from "./team.ts";

/** A new team key and the statement that remembers it; the keys room provides it. */
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

/** Makes a team, its first owner and its first key in one commit; the key is shown in this answer alone. */
export async function createTeam(
  deps: CreateTeamDeps,
  input: { readonly accountId: string; readonly name: string },
): Promise<CreatedTeam> {
  const { accountId } = input;
  const name = parseTeamName(input.name);
  const teamId = deps.context.newId();
  const { key, insert } = deps.newTeamKey({ teamId, accountId });
  await insertTeam(deps.context, { teamId, name, accountId, alongside: [insert] });
  return { id: teamId, name, role: "owner", key };
}
