import { queryOptions, type QueryClient } from "@tanstack/react-query";
import { client } from "../../client.ts";

/** What a list shows at most. */
const SHOWN = 200;

/** Asks how the account can sign in. */
export const securityQuery = queryOptions({
  queryKey: ["security"],
  queryFn: ({ signal }) => client.profile.security({ signal }),
});

/** Asks for the account's passkeys. */
export const passkeysQuery = queryOptions({
  queryKey: ["passkeys"],
  queryFn: async ({ signal }) => (await client.passkeys.list({ limit: SHOWN }, { signal })).items,
});

/** Asks where the account is signed in; this browser comes first. */
export const sessionsQuery = queryOptions({
  queryKey: ["sessions"],
  queryFn: async ({ signal }) => {
    const { items } = await client.sessions.list({ limit: SHOWN }, { signal });
    return items.toSorted((one, other) => Number(other.isCurrent) - Number(one.isCurrent));
  },
});

/** Asks for the account's access tokens. */
export const accessTokensQuery = queryOptions({
  queryKey: ["access-tokens"],
  queryFn: async ({ signal }) =>
    (await client.accessTokens.list({ limit: SHOWN }, { signal })).items,
});

/** How many teams are looked into. */
const TEAMS_MAX = 20;

/** Asks for the names of the teams that would have no owner without this account. */
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

/** Asks anew, where it was asked. */
export async function refresh(
  queryClient: QueryClient,
  ...queries: readonly { readonly queryKey: readonly unknown[] }[]
): Promise<void> {
  await Promise.all(
    queries.map(({ queryKey }) => queryClient.invalidateQueries({ queryKey: [...queryKey] })),
  );
}
