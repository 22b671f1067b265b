import type { Context } from "../../src/context.ts";
import type { TestPerson } from "./app.ts";
import { linkToken } from "./link-token.ts";

/** Makes the person a member of the team by the link that its owner hands over. */
export async function join(
  owner: Pick<TestPerson, "client">,
  teamId: string,
  person: Pick<TestPerson, "client" | "email">,
): Promise<void> {
  const { link } = await owner.client.teams.invite(teamId, { email: person.email });
  await person.client.invitations.acceptToken(linkToken(link));
}

/** Returns the accounts that are in the team now. */
export async function memberAccounts(
  { database: { db } }: Context,
  teamId: string,
): Promise<readonly string[]> {
  const rows = await db
    .selectFrom("team_member")
    .select("account_id")
    .where("team_id", "=", teamId)
    .where("left_at", "is", null)
    .orderBy("account_id")
    .execute();
  return rows.map((row) => row.account_id);
}
