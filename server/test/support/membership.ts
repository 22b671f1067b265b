import type { TestPerson } from "./app.ts";
import { tokenOf } from "./accounts.ts";

/** Makes the person a member of the team by the link that its owner hands over. */
export async function join(
  owner: Pick<TestPerson, "client">,
  teamId: string,
  person: Pick<TestPerson, "client" | "email">,
): Promise<void> {
  const { link } = await owner.client.teams.invite(teamId, { email: person.email });
  await person.client.invitations.acceptToken(tokenOf(link));
}
