import { queryOptions, type QueryClient } from "@tanstack/react-query";
import { client } from "../../client.ts";

/** Maximum number of entries in a list. */
const PAGE_SIZE = 200;

/** Query for the account's sign-in methods. */
export const accountSignInMethodsQuery = queryOptions({
  queryKey: ["security"],
  queryFn: ({ signal }) => client.profile.security({ signal }),
});

/** Query for the account's passkeys. */
export const passkeysQuery = queryOptions({
  queryKey: ["passkeys"],
  queryFn: async ({ signal }) =>
    (await client.passkeys.list({ limit: PAGE_SIZE }, { signal })).items,
});

/** Query for the account's sessions, with the session of this browser first. */
export const sessionsQuery = queryOptions({
  queryKey: ["sessions"],
  queryFn: async ({ signal }) => {
    const { items } = await client.sessions.list({ limit: PAGE_SIZE }, { signal });
    return items.toSorted((a, b) => Number(b.isCurrent) - Number(a.isCurrent));
  },
});

/** Query for the account's access tokens. */
export const accessTokensQuery = queryOptions({
  queryKey: ["access-tokens"],
  queryFn: async ({ signal }) =>
    (await client.accessTokens.list({ limit: PAGE_SIZE }, { signal })).items,
});

/** Maximum number of owned teams that are checked. Each needs a request. */
const CHECKED_TEAMS_MAX = 20;

/**
 * Query for the names of the teams whose only owner is this account, among the first `CHECKED_TEAMS_MAX` owned teams.
 */
export const soleOwnerTeamsQuery = queryOptions({
  queryKey: ["sole-owner-teams"],
  staleTime: 0,
  queryFn: async ({ signal }): Promise<readonly string[]> => {
    const { items } = await client.teams.list({ limit: PAGE_SIZE }, { signal });
    const ownedTeams = items.filter(({ role }) => role === "owner").slice(0, CHECKED_TEAMS_MAX);
    const teams = await Promise.all(ownedTeams.map(({ id }) => client.teams.get(id, { signal })));
    return teams
      .filter(({ members }) => members.filter(({ role }) => role === "owner").length === 1)
      .map(({ name }) => name);
  },
});

/** Invalidates queries. Resolves after the active queries are refetched. */
export async function refetchQueries(
  queryClient: QueryClient,
  ...queries: readonly { readonly queryKey: readonly unknown[] }[]
): Promise<void> {
  await Promise.all(
    queries.map(({ queryKey }) => queryClient.invalidateQueries({ queryKey: [...queryKey] })),
  );
}
