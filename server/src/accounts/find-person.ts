import type { Context } from "#context.ts";
import type { Account } from "./account.ts";
import { verifyAccessToken } from "./access-tokens/verify.ts";
import type { Auth } from "./auth.ts";

/** The dependencies of finding a person. */
export interface FindPersonDeps {
  readonly context: Context;
  readonly auth: Pick<Auth, "findSession">;
}

/** Returns the finder of the caller of an app API request: by session cookie or access token. */
export function createPersonFinder({ context, auth }: FindPersonDeps) {
  return {
    async bySession(cookie: string) {
      const signedIn = await auth.findSession(cookie);
      if (signedIn === null) return null;
      const { account, sessionId: id, openedAt } = signedIn;
      return personOf(account, { session: { id, openedAt }, accessTokenId: null });
    },
    async byAccessToken(token: string) {
      const owner = await verifyAccessToken(context, token);
      if (owner === null) return null;
      return personOf(owner.account, { session: null, accessTokenId: owner.tokenId });
    },
  };
}

function personOf(
  account: Account,
  by: {
    readonly session: { readonly id: string; readonly openedAt: number } | null;
    readonly accessTokenId: string | null;
  },
) {
  const { id, ...person } = account;
  return { accountId: id, ...person, ...by };
}
