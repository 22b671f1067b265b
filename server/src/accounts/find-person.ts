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
    bySession: async (headers: Headers) => personOf(await auth.findSession(headers)),
    byAccessToken: async (token: string) => personOf(await verifyAccessToken(context, token)),
  };
}

function personOf(account: Account | null) {
  if (account === null) return null;
  const { id, ...person } = account;
  return { accountId: id, ...person };
}
