import type { Account } from "@tocsin/sdk";
import { queryOptions, type QueryClient } from "@tanstack/react-query";
import { client } from "../client.ts";
import { isUnreachable } from "../errors.ts";
import { forgetAccount, storeAccount, readStoredAccount } from "./stored-account.ts";

/** Id of the route around the pages that need a session. */
export const SIGNED_IN = "signed-in";

/** Query key of the signed-in account. */
export const sessionKey = ["session"] as const;

/** Query for the signed-in account; null for none. If the server is unreachable, returns the last signed-in account. */
export const sessionQuery = queryOptions({
  queryKey: sessionKey,
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: Number.POSITIVE_INFINITY,
  queryFn: async (): Promise<Account | null> => {
    try {
      const { account } = await client.session();
      if (account === null) forgetAccount();
      else storeAccount(account);
      return account;
    } catch (error) {
      const stored = isUnreachable(error) ? readStoredAccount() : null;
      if (stored === null) throw error;
      return stored;
    }
  },
});

/** Removes all cached data except the session, so that the next account cannot see the data of this one. */
export function forgetData(queryClient: QueryClient): void {
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] });
}
