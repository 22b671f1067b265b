import type { Account } from "@tocsin/sdk";
import { queryOptions, type QueryClient } from "@tanstack/react-query";
import { client } from "../client.ts";
import { isUnreachable } from "../errors.ts";
import { deleteStoredAccount, storeAccount, readStoredAccount } from "./stored-account.ts";

/** Id of the parent route of all pages that need a session. */
export const SIGNED_IN_ROUTE_ID = "signed-in";

/** Query key of the signed-in account. */
export const SESSION_QUERY_KEY = ["session"] as const;

/**
 * Query for the signed-in account; null if nobody is signed in. If the server is unreachable, returns the last
 * signed-in account, or throws if there is none.
 */
export const sessionQuery = queryOptions({
  queryKey: SESSION_QUERY_KEY,
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: Number.POSITIVE_INFINITY,
  queryFn: async (): Promise<Account | null> => {
    try {
      const { account } = await client.session();
      if (account === null) deleteStoredAccount();
      else storeAccount(account);
      return account;
    } catch (error) {
      const storedAccount = isUnreachable(error) ? readStoredAccount() : null;
      if (storedAccount === null) throw error;
      return storedAccount;
    }
  },
});

/** Removes all cached data except the session, so that the next account cannot see the data of this one. */
export function removeCachedData(queryClient: QueryClient): void {
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION_QUERY_KEY[0] });
}
