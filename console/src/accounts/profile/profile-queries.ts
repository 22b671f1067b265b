import { queryOptions, type QueryClient } from "@tanstack/react-query";
import { client } from "../../client.ts";

/** Entries that a list shows at most. */
const SHOWN = 200;

/** Query for the account's ways to sign in. */
export const securityQuery = queryOptions({
  queryKey: ["security"],
  queryFn: ({ signal }) => client.profile.security({ signal }),
});

/** Query for the account's passkeys. */
export const passkeysQuery = queryOptions({
  queryKey: ["passkeys"],
  queryFn: async ({ signal }) => (await client.passkeys.list({ limit: SHOWN }, { signal })).items,
});

/** Query for the account's sessions; the one of this browser comes first. */
export const sessionsQuery = queryOptions({
  queryKey: ["sessions"],
  queryFn: async ({ signal }) => {
    const { items } = await client.sessions.list({ limit: SHOWN }, { signal });
    return items.toSorted((one, other) => Number(other.isCurrent) - Number(one.isCurrent));
  },
});

/** Query for the account's access tokens. */
export const accessTokensQuery = queryOptions({
  queryKey: ["access-tokens"],
  queryFn: async ({ signal }) =>
    (await client.accessTokens.list({ limit: SHOWN }, { signal })).items,
});

/** Owned teams that are checked at most. */
const TEAMS_MAX = 20;

/** Query for the names of the teams that would have no owner without this account. */
export const orphanedTeamsQuery = queryOptions({
  queryKey: ["orphaned-teams"],
  staleTime: 0,
  queryFn: async ({ signal }): Promise<readonly string[]> => {
    const { items } = await client.teams.list({ limit: SHOWN }, { signal });
    const owned = items.filter(({ role }) => role === "owner").slice(0, TEAMS_MAX);
    const teams = await Promise.all(owned.map(({ id }) => client.teams.get(id, { signal })));
    return teams
      .filter(({ members }) => members.filter(({ role }) => role === "owner").length === 1)
      .map(({ name }) => name);
  },
});

/** Invalidates queries; resolves once those in use are fetched again. */
export async function refresh(
  queryClient: QueryClient,
  ...queries: readonly { readonly queryKey: readonly unknown[] }[]
): Promise<void> {
  await Promise.all(
    queries.map(({ queryKey }) => queryClient.invalidateQueries({ queryKey: [...queryKey] })),
  );
}
