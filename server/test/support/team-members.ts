import type { Context } from "../../src/context.ts";
import type { TestPerson } from "./app.ts";
import { parseLinkToken } from "./link-token.ts";

/** Adds the person to the team through an invitation link from the team's owner, and returns the member id. */
export async function addMember(
  owner: Pick<TestPerson, "client">,
  teamId: string,
  person: Pick<TestPerson, "client" | "email">,
): Promise<string> {
  const { link } = await owner.client.teams.invite(teamId, { email: person.email });
  await person.client.invitations.acceptToken(parseLinkToken(link));
  return findMemberId(owner, teamId, person);
}

/** Returns the member id of a person in a team, which the API calls `accountId`. */
export async function findMemberId(
  { client }: Pick<TestPerson, "client">,
  teamId: string,
  { email }: Pick<TestPerson, "email">,
): Promise<string> {
  const { members } = await client.teams.get(teamId);
  const member = members.find((candidate) => candidate.email === email);
  if (member === undefined) throw new Error("The person is not a member of this team.");
  return member.accountId;
}

/** Returns the account ids of the team's current members. */
export async function listMemberAccountIds(
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
