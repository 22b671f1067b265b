import { queryOptions } from "@tanstack/react-query";
import { client } from "../client.ts";

/** Maximum number of accounts on a page. The search finds the others. */
const ACCOUNTS_MAX = 100;
const INVITATIONS_MAX = 100;
/** Refetch interval of pages that monitor the server. */
const REFETCH_INTERVAL_MS = 10_000;

/** Query for the server's health. */
export const healthQuery = queryOptions({
  queryKey: ["admin", "health"],
  queryFn: ({ signal }) => client.admin.health({ signal }),
  refetchInterval: REFETCH_INTERVAL_MS,
});

/** Query for the state of the push services. */
export const providersQuery = queryOptions({
  queryKey: ["admin", "providers"],
  queryFn: async ({ signal }) => (await client.admin.providers.list({ signal })).items,
  refetchInterval: REFETCH_INTERVAL_MS,
});

/** Query for the sign-up rule and the retention of notifications. */
export const settingsQuery = queryOptions({
  queryKey: ["admin", "settings"],
  queryFn: ({ signal }) => client.admin.settings.get({ signal }),
});

/** Returns the query for the newest accounts whose name or email address contains the search words. */
export function createAccountsQuery(searchText: string) {
  return queryOptions({
    queryKey: ["admin", "accounts", searchText],
    queryFn: ({ signal }) =>
      client.admin.accounts.list(
        { limit: ACCOUNTS_MAX, ...(searchText === "" ? {} : { q: searchText }) },
        { signal },
      ),
  });
}

/** Query for the open invitations to the server. */
export const invitationsQuery = queryOptions({
  queryKey: ["admin", "invitations"],
  queryFn: async ({ signal }) =>
    (await client.admin.invitations.list({ limit: INVITATIONS_MAX }, { signal })).items,
});

/** Returns the query for one account, including the devices and teams that its deletion would affect. */
export function createAccountQuery(id: string) {
  return queryOptions({
    queryKey: ["admin", "account", id],
    // An administrator who changes the account needs its current state.
    staleTime: 0,
    queryFn: ({ signal }) => client.admin.accounts.get(id, { signal }),
  });
}

/** Returns the query for the devices of an account. */
export function createAccountDevicesQuery(id: string) {
  return queryOptions({
    queryKey: ["admin", "account", id, "devices"],
    staleTime: 0,
    queryFn: async ({ signal }) => (await client.admin.accounts.devices(id, { signal })).items,
  });
}

/** Query for the accounts that are near a limit. */
export const limitsQuery = queryOptions({
  queryKey: ["admin", "limits"],
  queryFn: async ({ signal }) => (await client.admin.limits({ signal })).items,
});

/** Refetch interval while a backup is running. */
const BACKUP_REFETCH_INTERVAL_MS = 1_000;

/** Query for the state of the backup. */
export const backupQuery = queryOptions({
  queryKey: ["admin", "backup"],
  queryFn: ({ signal }) => client.admin.backup({ signal }),
  refetchInterval: ({ state: { data } }) =>
    data?.state === "running" ? BACKUP_REFETCH_INTERVAL_MS : REFETCH_INTERVAL_MS,
});
