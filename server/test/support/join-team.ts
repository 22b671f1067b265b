import { createClient } from "@tocsin/sdk";
import type { Applicant, ConsoleUser } from "./console-fixture.ts";
import type { PushBrowsers } from "./push-browsers.ts";

/** A team, and a person who manages it. */
export interface InvitingTeam {
  readonly owner: Pick<ConsoleUser, "client">;
  readonly teamId: string;
  readonly url: string;
}

/** Signs a person up in another browser with the link of an invitation to a team, and opens the feed. */
export async function joinTeam(
  browsers: PushBrowsers,
  { owner, teamId, url }: InvitingTeam,
  { name, email, password }: Applicant,
): Promise<ConsoleUser> {
  const { link } = await owner.client.teams.invite(teamId, { email });
  const page = await browsers.open(link);
  await page.fillIn({ name, password });
  await page.press("Create the account and join");
  await page.waitFor('main [role="status"]');
  await page.followLink("Go to Tocsin");
  const client = createClient({ baseUrl: url });
  await client.signIn({ email, password });
  return { page, client };
}
