import { queryOptions, type QueryClient } from "@tanstack/react-query";
import type {
  EndedInvitation,
  LookedAtInvitation,
  ReceivedInvitation,
  RecipientMails,
  Team,
  TeamDetail,
  TeamDevice,
} from "@tocsin/sdk";
import { client } from "../client.ts";
import { isMissing } from "../errors.ts";
import { showMadeKey, teamKeysQuery } from "../keys/key-queries.ts";

const SHOWN_MAX = 200;
/** Others change a team, too, and no event tells of it. */
const LOOK_EVERY_MS = 15_000;
/** Lists change more seldom, and stand on every page; a hidden one asks nothing. */
const LISTS_EVERY_MS = 60_000;
/** The secret stays out of the key; a page has one. */
const INVITATION_KEY = "invitation";
const KEPT_FRESH = { refetchInterval: LISTS_EVERY_MS, refetchOnWindowFocus: "always" } as const;

/** Asks for the teams that one is in. */
export const teamsQuery = queryOptions({
  ...KEPT_FRESH,
  queryKey: ["teams"],
  queryFn: async ({ signal }): Promise<readonly Team[]> =>
    (await client.teams.list({ limit: SHOWN_MAX }, { signal })).items,
  // No event tells of a team that was made or joined elsewhere.
  staleTime: 0,
});

/** Asks for one team with its people, null for one that one is not in (any more). */
export function teamQuery(id: string) {
  return queryOptions({
    queryKey: ["teams", id],
    refetchInterval: LOOK_EVERY_MS,
    queryFn: async ({ signal }): Promise<TeamDetail | null> => {
      try {
        return await client.teams.get(id, { signal });
      } catch (error) {
        if (isMissing(error)) return null;
        throw error;
      }
    },
  });
}

/** Asks for the devices of a team's members, those that left lately among them; only who manages it may ask. */
export function teamDevicesQuery(id: string) {
  return queryOptions({
    queryKey: ["teams", id, "devices"],
    queryFn: async ({ signal }): Promise<readonly TeamDevice[]> =>
      (await client.teams.devices(id, { limit: SHOWN_MAX }, { signal })).items,
  });
}

/** Asks for the invitations that wait for one's answer. */
export const receivedQuery = queryOptions({
  ...KEPT_FRESH,
  queryKey: ["received-invitations"],
  queryFn: async ({ signal }): Promise<readonly ReceivedInvitation[]> =>
    (await client.invitations.list({ limit: SHOWN_MAX }, { signal })).items,
});

/** What a link is about that opens something. */
export type LinkedInvitation = LookedAtInvitation | EndedInvitation;

/** Asks what the link is about by which the page was opened, null where it opens nothing (any more). */
export function invitationQuery(token: string, accountId: string | null) {
  return queryOptions({
    queryKey: [INVITATION_KEY, accountId],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }): Promise<LinkedInvitation | null> => {
      try {
        return await client.invitations.look(token, { signal });
      } catch (error) {
        if (isMissing(error)) return null;
        throw error;
      }
    },
  });
}

/** Asks anew what the link is about by which the page was opened, since it was used; and for the teams. */
export async function lookAgain(queryClient: QueryClient): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: [INVITATION_KEY] });
  await refreshTeams(queryClient);
}

/** Stops invitation mails to the address that the link was mailed to, or has them sent again, and shows that it is so. */
export async function changeMails(
  queryClient: QueryClient,
  { token, mails }: { readonly token: string; readonly mails: RecipientMails },
): Promise<void> {
  if (mails === "refused") await client.invitations.refuseMails(token);
  else await client.invitations.allowMails(token);
  queryClient.setQueriesData<LinkedInvitation | null>({ queryKey: [INVITATION_KEY] }, (found) =>
    found === null || found === undefined ? found : { ...found, mails },
  );
}

/** Makes a team, keeps its first key for the page that shows it, and returns the team's id. */
export async function createTeam(queryClient: QueryClient, name: string): Promise<string> {
  const { id, key } = await client.teams.create({ name });
  await refreshTeams(queryClient);
  const [first] = await queryClient.fetchQuery(teamKeysQuery(id));
  if (first !== undefined) showMadeKey(queryClient, { ...first, key });
  return id;
}

/** Asks anew for all that is shown of teams, since one of them changed. */
export async function refreshTeams(queryClient: QueryClient): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: teamsQuery.queryKey }),
    queryClient.invalidateQueries({ queryKey: receivedQuery.queryKey }),
  ]);
}
