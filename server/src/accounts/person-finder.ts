import type { Context } from "#context.ts";
import type { Account } from "./account.ts";
import { verifyAccessToken } from "./access-tokens/verify.ts";
import type { Auth } from "./auth.ts";

/** The dependencies of `createPersonFinder`. */
export interface PersonFinderDeps {
  readonly context: Context;
  readonly auth: Pick<Auth, "findSession">;
}

/** Creates the functions that find the caller of an app API request, by session cookie or by access token. */
export function createPersonFinder({ context, auth }: PersonFinderDeps) {
  return {
    async findBySession(cookie: string) {
      const signedIn = await auth.findSession(cookie);
      if (signedIn === null) return null;
      const { account, sessionId: id, openedAt } = signedIn;
      return toPerson(account, { session: { id, openedAt }, accessTokenId: null });
    },
    async findByAccessToken(token: string) {
      const owner = await verifyAccessToken(context, token);
      if (owner === null) return null;
      return toPerson(owner.account, { session: null, accessTokenId: owner.tokenId });
    },
  };
}

function toPerson(
  account: Account,
  credential: {
    readonly session: { readonly id: string; readonly openedAt: number } | null;
    readonly accessTokenId: string | null;
  },
) {
  const { id, ...person } = account;
  return { accountId: id, ...person, ...credential };
}
