import { queryOptions, type QueryClient } from "@tanstack/react-query";
import type {
  EndedInvitation,
  InvitationPreview,
  ReceivedInvitation,
  RecipientMails,
  Team,
  TeamDetail,
  TeamDevice,
} from "@tocsin/sdk";
import { client } from "../client.ts";
import { isNotFound } from "../errors.ts";
import { storeNewKey, createTeamKeysQuery } from "../keys/key-queries.ts";

const PAGE_SIZE = 200;
/** Refetch interval of a team. No live event reports changes by other members. */
const TEAM_REFETCH_INTERVAL_MS = 15_000;
/** Refetch interval of lists, which change less often and are used by every page. A hidden page does not refetch. */
const LIST_REFETCH_INTERVAL_MS = 60_000;
/** First part of the invitation's query key. The key needs no token, because a page has only one invitation. */
const INVITATION_KEY = "invitation";
const LIST_OPTIONS = {
  refetchInterval: LIST_REFETCH_INTERVAL_MS,
  refetchOnWindowFocus: "always",
} as const;

/** Query for the account's teams. */
export const teamsQuery = queryOptions({
  ...LIST_OPTIONS,
  queryKey: ["teams"],
  queryFn: async ({ signal }): Promise<readonly Team[]> =>
    (await client.teams.list({ limit: PAGE_SIZE }, { signal })).items,
  // No live event reports a team that was created or joined elsewhere.
  staleTime: 0,
});

/** Returns the query for a team with its members; null if the account is not a member. */
export function createTeamQuery(id: string) {
  return queryOptions({
    queryKey: ["teams", id],
    refetchInterval: TEAM_REFETCH_INTERVAL_MS,
    queryFn: async ({ signal }): Promise<TeamDetail | null> => {
      try {
        return await client.teams.get(id, { signal });
      } catch (error) {
        if (isNotFound(error)) return null;
        throw error;
      }
    },
  });
}

/**
 * Returns the query for the devices of a team's members, including devices that were unregistered recently. Only for
 * managers.
 */
export function createTeamDevicesQuery(id: string) {
  return queryOptions({
    queryKey: ["teams", id, "devices"],
    queryFn: async ({ signal }): Promise<readonly TeamDevice[]> =>
      (await client.teams.devices(id, { limit: PAGE_SIZE }, { signal })).items,
  });
}

/** Query for the invitations that the account can accept or decline. */
export const receivedInvitationsQuery = queryOptions({
  ...LIST_OPTIONS,
  queryKey: ["received-invitations"],
  queryFn: async ({ signal }): Promise<readonly ReceivedInvitation[]> =>
    (await client.invitations.list({ limit: PAGE_SIZE }, { signal })).items,
});

/** The invitation of a valid link. It may have ended. */
export type LinkedInvitation = InvitationPreview | EndedInvitation;

/** Returns the query for the invitation of the link that opened the page; null if the link is not valid. */
export function createInvitationQuery(token: string, accountId: string | null) {
  return queryOptions({
    queryKey: [INVITATION_KEY, accountId],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }): Promise<LinkedInvitation | null> => {
      try {
        return await client.invitations.preview(token, { signal });
      } catch (error) {
        if (isNotFound(error)) return null;
        throw error;
      }
    },
  });
}

/** Refetches the invitation of the link that opened the page, the teams and the received invitations. */
export async function refreshInvitation(queryClient: QueryClient): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: [INVITATION_KEY] });
  await refreshTeamsAndInvitations(queryClient);
}

/** Turns invitation emails to the link's recipient off or on, and updates the cached invitation. */
export async function changeMailSubscription(
  queryClient: QueryClient,
  { token, mails }: { readonly token: string; readonly mails: RecipientMails },
): Promise<void> {
  if (mails === "refused") await client.invitations.refuseMails(token);
  else await client.invitations.allowMails(token);
  queryClient.setQueriesData<LinkedInvitation | null>(
    { queryKey: [INVITATION_KEY] },
    (invitation) =>
      invitation === null || invitation === undefined ? invitation : { ...invitation, mails },
  );
}

/** Creates a team and stores its first key for the page that shows it. Resolves with the team's id. */
export async function createTeam(queryClient: QueryClient, name: string): Promise<string> {
  const { id, key } = await client.teams.create({ name });
  await refreshTeamsAndInvitations(queryClient);
  const [firstKey] = await queryClient.fetchQuery(createTeamKeysQuery(id));
  if (firstKey !== undefined) storeNewKey(queryClient, { ...firstKey, key });
  return id;
}

/** Refetches all teams and received invitations. Called after a team has changed. */
export async function refreshTeamsAndInvitations(queryClient: QueryClient): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: teamsQuery.queryKey }),
    queryClient.invalidateQueries({ queryKey: receivedInvitationsQuery.queryKey }),
  ]);
}
