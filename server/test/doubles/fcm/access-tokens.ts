import { randomBytes } from "node:crypto";
import { scopeInsufficient, unauthenticated } from "./google-errors.ts";
import type { GoogleError } from "./google-errors.ts";

/** How long Google lets an access token live, in seconds. */
export const ACCESS_TOKEN_SECONDS = 3_599;

const SENDING_SCOPES = [
  "https://www.googleapis.com/auth/firebase.messaging",
  "https://www.googleapis.com/auth/cloud-platform",
];

/** Every access token that was minted, and whether it still opens the door. */
export class AccessTokens {
  readonly #now: () => number;
  readonly #tokens = new Map<
    string,
    { readonly scopes: readonly string[]; readonly expiresAtMs: number }
  >();
  readonly #revoked = new Set<string>();

  /** The clock is in milliseconds since the epoch. */
  constructor(now: () => number) {
    this.#now = now;
  }

  get minted(): number {
    return this.#tokens.size;
  }

  /** Returns a new token that is good until the clock says otherwise. */
  mint(scopes: readonly string[]): string {
    const token = `ya29.c.${randomBytes(192).toString("base64url")}`;
    const expiresAtMs = this.#now() + ACCESS_TOKEN_SECONDS * 1000;
    this.#tokens.set(token, { scopes, expiresAtMs });
    return token;
  }

  /** Ends every token minted so far before its time, as Google may. */
  revokeAll(): void {
    for (const token of this.#tokens.keys()) this.#revoked.add(token);
  }

  /** Returns why the credentials of a request do not let it send, or null where they do. */
  check(authorization: string | undefined): GoogleError | null {
    const token = /^Bearer (?<token>\S+)$/iu.exec(authorization ?? "")?.groups?.["token"];
    if (token === undefined) return unauthenticated("CREDENTIALS_MISSING");
    const known = this.#tokens.get(token);
    if (known === undefined) return unauthenticated("ACCESS_TOKEN_TYPE_UNSUPPORTED");
    if (this.#revoked.has(token) || known.expiresAtMs <= this.#now()) {
      return unauthenticated("ACCESS_TOKEN_EXPIRED");
    }
    return known.scopes.some((scope) => SENDING_SCOPES.includes(scope))
      ? null
      : scopeInsufficient();
  }
}
