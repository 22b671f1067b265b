import { createAuthenticate, type Authenticate } from "#http/authenticate.ts";

/** Uses the bearer token as the caller's account id, for routes without the accounts room. */
export const authenticateByAccountId: Authenticate = createAuthenticate(
  {
    findBySession: async () => null,
    findByAccessToken: async (accountId) => ({
      accountId,
      email: "",
      name: "",
      isAdmin: false,
      isEmailVerified: true,
      session: null,
      accessTokenId: null,
    }),
  },
  "http://localhost",
);

/** Returns a response without its request id, to compare it byte by byte with another. */
export async function fetchComparableResponse(
  url: string,
  { bearer, method, body }: { bearer: string; method: string; body?: unknown },
): Promise<{ readonly status: number; readonly text: string }> {
  const headers: Record<string, string> = { authorization: `Bearer ${bearer}` };
  const init: RequestInit = { method, headers };
  if (body !== undefined) {
    headers["content-type"] = "application/json";
    init.body = JSON.stringify(body);
  }
  const response = await fetch(url, init);
  const text = await response.text();
  return { status: response.status, text: text.replace(/"requestId":"[^"]+"/, `"requestId":""`) };
}
