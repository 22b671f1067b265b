import type { Context } from "#context.ts";
import type { Account } from "./account.ts";
import { verifyAccessToken } from "./access-tokens/verify.ts";
import type { Auth } from "./auth.ts";

/** What finding a person depends on. */
export interface FindPersonDeps {
  readonly context: Context;
  readonly auth: Pick<Auth, "findSession">;
}

/** Returns how the app API finds who asks: by session cookie or access token. */
export function createPersonFinder({ context, auth }: FindPersonDeps) {
  return {
    async bySession(headers: Headers) {
      const signedIn = await auth.findSession(headers);
      if (signedIn === null) return null;
      const { account, sessionId: id, openedAt } = signedIn;
      return personOf(account, { id, openedAt });
    },
    async byAccessToken(token: string) {
      const account = await verifyAccessToken(context, token);
      return account === null ? null : personOf(account, null);
    },
  };
}

function personOf(
  account: Account,
  session: { readonly id: string; readonly openedAt: number } | null,
) {
  const { id, ...person } = account;
  return { accountId: id, ...person, session };
}
