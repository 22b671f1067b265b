import { queryOptions } from "@tanstack/react-query";
import { client } from "../client.ts";

/** Accounts that a page shows at most; the search finds the others. */
const ACCOUNTS_SHOWN = 100;
const INVITATIONS_SHOWN = 100;
/** Refetch interval of pages that watch the server. */
const WATCH_EVERY_MS = 10_000;

/** Query for the server's health. */
export const healthQuery = queryOptions({
  queryKey: ["admin", "health"],
  queryFn: ({ signal }) => client.admin.health({ signal }),
  refetchInterval: WATCH_EVERY_MS,
});

/** Query for the state of the push services. */
export const providersQuery = queryOptions({
  queryKey: ["admin", "providers"],
  queryFn: async ({ signal }) => (await client.admin.providers.list({ signal })).items,
  refetchInterval: WATCH_EVERY_MS,
});

/** Query for the sign-up rule and the retention of notifications. */
export const settingsQuery = queryOptions({
  queryKey: ["admin", "settings"],
  queryFn: ({ signal }) => client.admin.settings.get({ signal }),
});

/** Returns the query for the newest accounts whose name or address contains the words. */
export function accountsQuery(q: string) {
  return queryOptions({
    queryKey: ["admin", "accounts", q],
    queryFn: ({ signal }) =>
      client.admin.accounts.list({ limit: ACCOUNTS_SHOWN, ...(q === "" ? {} : { q }) }, { signal }),
  });
}

/** Query for the open invitations to the server. */
export const invitationsQuery = queryOptions({
  queryKey: ["admin", "invitations"],
  queryFn: async ({ signal }) =>
    (await client.admin.invitations.list({ limit: INVITATIONS_SHOWN }, { signal })).items,
});

/** Returns the query for one account, with what its deletion would remove. */
export function accountQuery(id: string) {
  return queryOptions({
    queryKey: ["admin", "account", id],
    // An administrator who acts on it needs its current state.
    staleTime: 0,
    queryFn: ({ signal }) => client.admin.accounts.get(id, { signal }),
  });
}

/** Returns the query for the devices of an account. */
export function accountDevicesQuery(id: string) {
  return queryOptions({
    queryKey: ["admin", "account", id, "devices"],
    staleTime: 0,
    queryFn: async ({ signal }) => (await client.admin.accounts.devices(id, { signal })).items,
  });
}

/** Query for the accounts that use most of a limit. */
export const limitsQuery = queryOptions({
  queryKey: ["admin", "limits"],
  queryFn: async ({ signal }) => (await client.admin.limits({ signal })).items,
});

/** Refetch interval of a page that waits for a backup. */
const BACKUP_EVERY_MS = 1_000;

/** Query for the state of a backup. */
export const backupQuery = queryOptions({
  queryKey: ["admin", "backup"],
  queryFn: ({ signal }) => client.admin.backup({ signal }),
  refetchInterval: ({ state: { data } }) =>
    data?.state === "running" ? BACKUP_EVERY_MS : WATCH_EVERY_MS,
});
