import { randomBytes } from "node:crypto";
import {
  createInsufficientScopeError,
  createUnauthenticatedError,
  type GoogleError,
} from "./google-errors.ts";

/** Lifetime of Google's access tokens in seconds. */
export const ACCESS_TOKEN_SECONDS = 3_599;

/** 256 characters of base64url. */
const TOKEN_BYTES = 192;

const SENDING_SCOPES = [
  "https://www.googleapis.com/auth/firebase.messaging",
  "https://www.googleapis.com/auth/cloud-platform",
];

/** The issued access tokens and their validity. */
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

  get issuedCount(): number {
    return this.#tokens.size;
  }

  /** Issues a token that expires by the injected clock. */
  issue(scopes: readonly string[]): string {
    const token = `ya29.c.${randomBytes(TOKEN_BYTES).toString("base64url")}`;
    const expiresAtMs = this.#now() + ACCESS_TOKEN_SECONDS * 1000;
    this.#tokens.set(token, { scopes, expiresAtMs });
    return token;
  }

  /** Revokes every token issued so far, as Google may. */
  revokeAll(): void {
    for (const token of this.#tokens.keys()) this.#revoked.add(token);
  }

  /** Returns the error of a request's credentials, or null if they allow sending. */
  check(authorization: string | undefined): GoogleError | null {
    const token = /^Bearer (?<token>\S+)$/iu.exec(authorization ?? "")?.groups?.["token"];
    if (token === undefined) return createUnauthenticatedError("CREDENTIALS_MISSING");
    const grant = this.#tokens.get(token);
    if (grant === undefined) return createUnauthenticatedError("ACCESS_TOKEN_TYPE_UNSUPPORTED");
    if (this.#revoked.has(token) || grant.expiresAtMs <= this.#now()) {
      return createUnauthenticatedError("ACCESS_TOKEN_EXPIRED");
    }
    return grant.scopes.some((scope) => SENDING_SCOPES.includes(scope))
      ? null
      : createInsufficientScopeError();
  }
}
