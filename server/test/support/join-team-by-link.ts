import { joinTeam, type Applicant, type ConsoleUser } from "./console-fixture.ts";
import type { PushBrowsers } from "./push-browsers.ts";

/** A team, a person who invites others to it, and the URL of the server. */
export interface InvitingTeam {
  readonly owner: Pick<ConsoleUser, "client">;
  readonly teamId: string;
  readonly teamName: string;
  readonly url: string;
}

/** Invites a person to a team, signs them up with the link in another browser, and opens the feed. */
export async function joinTeamByLink(
  browsers: PushBrowsers,
  { owner, teamId, teamName, url }: InvitingTeam,
  applicant: Applicant,
): Promise<ConsoleUser> {
  const { link } = await owner.client.teams.invite(teamId, { email: applicant.email });
  return joinTeam(await browsers.open(link), { url, applicant, teamName });
}
