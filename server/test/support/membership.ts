import type { Context } from "../../src/context.ts";
import type { TestPerson } from "./app.ts";
import { linkToken } from "./link-token.ts";

/** Makes the person a member of the team by the link that its owner hands over, and returns the member id. */
export async function join(
  owner: Pick<TestPerson, "client">,
  teamId: string,
  person: Pick<TestPerson, "client" | "email">,
): Promise<string> {
  const { link } = await owner.client.teams.invite(teamId, { email: person.email });
  await person.client.invitations.acceptToken(linkToken(link));
  return memberIdOf(owner, teamId, person);
}

/** Returns what names a person in a team, as one of its members sees it. */
export async function memberIdOf(
  { client }: Pick<TestPerson, "client">,
  teamId: string,
  { email }: Pick<TestPerson, "email">,
): Promise<string> {
  const { members } = await client.teams.get(teamId);
  const member = members.find((one) => one.email === email);
  if (member === undefined) throw new Error("There is no such member in this team.");
  return member.accountId;
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
