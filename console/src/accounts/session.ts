import type { Account } from "@tocsin/sdk";
import { queryOptions, type QueryClient } from "@tanstack/react-query";
import { client } from "../client.ts";
import { isUnreachable } from "../errors.ts";
import { forgetAccount, keepAccount, recallAccount } from "./kept-account.ts";

/** Id of the route around the pages that need a session. */
export const SIGNED_IN = "signed-in";

/** Query key of the signed-in account. */
export const sessionKey = ["session"] as const;

/** Query for the signed-in account, null for none; if the server is unreachable, for the one signed in last. */
export const sessionQuery = queryOptions({
  queryKey: sessionKey,
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: Number.POSITIVE_INFINITY,
  queryFn: async (): Promise<Account | null> => {
    try {
      const { account } = await client.session();
      if (account === null) forgetAccount();
      else keepAccount(account);
      return account;
    } catch (error) {
      const kept = isUnreachable(error) ? recallAccount() : null;
      if (kept === null) throw error;
      return kept;
    }
  },
});

/** Removes all cached data but the session: the next account must not see what this one saw. */
export function forgetData(queryClient: QueryClient): void {
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] });
}
