import assert from "node:assert/strict";

/** Returns the token in a link of the server. Fails if the link has no token. */
export function parseLinkToken(link: string | null | undefined): string {
  const { hash } = new URL(link ?? assert.fail("There is no link."));
  return new URLSearchParams(hash.slice(1)).get("token") ?? assert.fail("The link has no token.");
}
