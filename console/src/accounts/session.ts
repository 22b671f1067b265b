import type { Account } from "@tocsin/sdk";
import { queryOptions, type QueryClient } from "@tanstack/react-query";
import { client } from "../client.ts";
import { isUnreachable } from "../errors.ts";
import { forgetAccount, keepAccount, recallAccount } from "./kept-account.ts";

/** The id of the route around the pages of who is signed in. */
export const SIGNED_IN = "signed-in";

/** Where the query client keeps who is signed in. */
export const sessionKey = ["session"] as const;

/** Asks who is signed in, null for nobody; without the server, who was. */
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

/** Forgets all but who is signed in: what one person saw is not for the next. */
export function forgetData(queryClient: QueryClient): void {
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] });
}
