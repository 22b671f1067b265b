import { queryOptions } from "@tanstack/react-query";
import { client } from "../client.ts";

/** What a page of accounts shows at most; the search finds the others. */
const ACCOUNTS_SHOWN = 100;
const INVITATIONS_SHOWN = 100;
/** How often pages that watch the server ask again. */
const WATCH_EVERY_MS = 10_000;

/** Asks how the server does. */
export const healthQuery = queryOptions({
  queryKey: ["admin", "health"],
  queryFn: ({ signal }) => client.admin.health({ signal }),
  refetchInterval: WATCH_EVERY_MS,
});

/** Asks how the push services do. */
export const providersQuery = queryOptions({
  queryKey: ["admin", "providers"],
  queryFn: async ({ signal }) => (await client.admin.providers.list({ signal })).items,
  refetchInterval: WATCH_EVERY_MS,
});

/** Asks who may sign up and how long notifications are kept. */
export const settingsQuery = queryOptions({
  queryKey: ["admin", "settings"],
  queryFn: ({ signal }) => client.admin.settings.get({ signal }),
});

/** Asks for the newest accounts in whose name or address the words stand. */
export function accountsQuery(q: string) {
  return queryOptions({
    queryKey: ["admin", "accounts", q],
    queryFn: ({ signal }) =>
      client.admin.accounts.list({ limit: ACCOUNTS_SHOWN, ...(q === "" ? {} : { q }) }, { signal }),
  });
}

/** Asks for the invitations to the server that wait for their use. */
export const invitationsQuery = queryOptions({
  queryKey: ["admin", "invitations"],
  queryFn: async ({ signal }) =>
    (await client.admin.invitations.list({ limit: INVITATIONS_SHOWN }, { signal })).items,
});
