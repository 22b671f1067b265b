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

/** Asks for one account, and what its end would take along. */
export function accountQuery(id: string) {
  return queryOptions({
    queryKey: ["admin", "account", id],
    // Who acts on it wants to know how it stands now.
    staleTime: 0,
    queryFn: ({ signal }) => client.admin.accounts.get(id, { signal }),
  });
}

/** Asks for the devices of an account. */
export function accountDevicesQuery(id: string) {
  return queryOptions({
    queryKey: ["admin", "account", id, "devices"],
    staleTime: 0,
    queryFn: async ({ signal }) => (await client.admin.accounts.devices(id, { signal })).items,
  });
}

/** Asks who uses most of a limit. */
export const limitsQuery = queryOptions({
  queryKey: ["admin", "limits"],
  queryFn: async ({ signal }) => (await client.admin.limits({ signal })).items,
});

/** How often a page that waits for a backup asks how far it is. */
const BACKUP_EVERY_MS = 1_000;

/** Asks how a backup stands. */
export const backupQuery = queryOptions({
  queryKey: ["admin", "backup"],
  queryFn: ({ signal }) => client.admin.backup({ signal }),
  refetchInterval: ({ state: { data } }) =>
    data?.state === "running" ? BACKUP_EVERY_MS : WATCH_EVERY_MS,
});
