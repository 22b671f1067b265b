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
/** Refetch interval: other members change a team, too, and no event announces it. */
const LOOK_EVERY_MS = 15_000;
/** Refetch interval of lists, which change less often and are on every page; a hidden one does not ask. */
const LISTS_EVERY_MS = 60_000;
/** Query key without the token: a page has only one invitation. */
const INVITATION_KEY = "invitation";
const KEPT_FRESH = { refetchInterval: LISTS_EVERY_MS, refetchOnWindowFocus: "always" } as const;

/** Query for the account's teams. */
export const teamsQuery = queryOptions({
  ...KEPT_FRESH,
  queryKey: ["teams"],
  queryFn: async ({ signal }): Promise<readonly Team[]> =>
    (await client.teams.list({ limit: SHOWN_MAX }, { signal })).items,
  // No event announces a team that was made or joined elsewhere.
  staleTime: 0,
});

/** Returns the query for one team with its members; null if the account is not in it (any more). */
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

/** Returns the query for the devices of a team's members, including those given up recently; only managers may ask. */
export function teamDevicesQuery(id: string) {
  return queryOptions({
    queryKey: ["teams", id, "devices"],
    queryFn: async ({ signal }): Promise<readonly TeamDevice[]> =>
      (await client.teams.devices(id, { limit: SHOWN_MAX }, { signal })).items,
  });
}

/** Query for the invitations that wait for the account's answer. */
export const receivedQuery = queryOptions({
  ...KEPT_FRESH,
  queryKey: ["received-invitations"],
  queryFn: async ({ signal }): Promise<readonly ReceivedInvitation[]> =>
    (await client.invitations.list({ limit: SHOWN_MAX }, { signal })).items,
});

/** Invitation of a link that opens something. */
export type LinkedInvitation = LookedAtInvitation | EndedInvitation;

/** Returns the query for the invitation of the link that opened the page; null if it opens nothing (any more). */
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

/** Refetches the invitation of the link that opened the page, after it was used, and the teams. */
export async function lookAgain(queryClient: QueryClient): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: [INVITATION_KEY] });
  await refreshTeams(queryClient);
}

/** Stops invitation mails to the address that the link was mailed to, or allows them again, and shows the new state. */
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

/** Makes a team and keeps its first key for the page that shows it; resolves with the team's id. */
export async function createTeam(queryClient: QueryClient, name: string): Promise<string> {
  const { id, key } = await client.teams.create({ name });
  await refreshTeams(queryClient);
  const [first] = await queryClient.fetchQuery(teamKeysQuery(id));
  if (first !== undefined) showMadeKey(queryClient, { ...first, key });
  return id;
}

/** Refetches all that is shown of teams, after one of them changed. */
export async function refreshTeams(queryClient: QueryClient): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: teamsQuery.queryKey }),
    queryClient.invalidateQueries({ queryKey: receivedQuery.queryKey }),
  ]);
}
