import type { KeyObject } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { Arrivals, type WaitOptions } from "../arrivals.ts";
import { ACCESS_TOKEN_SECONDS, type AccessTokens } from "./access-tokens.ts";
import type { Exchange, RawResponse } from "./exchange.ts";
import { isDelivered, runScript, type FcmScript } from "./fcm-script.ts";
import { validateGrant, type Granted, type GrantRefused } from "./oauth-rules.ts";
import type { ServiceAccount } from "./service-account.ts";

/** A request to the token endpoint with Google's verdict. */
export interface GrantRecord {
  readonly headers: IncomingHttpHeaders;
  /** The form as received. */
  readonly body: string;
  readonly verdict: Granted | GrantRefused;
  /** The scripted response that replaced the verdict, if any. */
  readonly script: FcmScript | null;
}

interface TokenEndpointDeps {
  readonly account: ServiceAccount;
  readonly tokens: AccessTokens;
  /** The required `aud` of an assertion. */
  readonly audience: string;
  readonly now: () => number;
}

/** Google's token endpoint, which issues access tokens for one service account. */
export class TokenEndpoint {
  readonly #deps: TokenEndpointDeps;
  readonly #log = new Arrivals<GrantRecord>("requests for access tokens");
  readonly #scripts: FcmScript[] = [];

  constructor(deps: TokenEndpointDeps) {
    this.#deps = deps;
  }

  /** The public key that verifies the account's assertions. */
  get publicKey(): KeyObject {
    return this.#deps.account.publicKey;
  }

  /** Every request so far, including refused ones. */
  get requests(): readonly GrantRecord[] {
    return this.#log.all;
  }

  /** Resolves with all requests once there are `count`, answered or not. */
  async waitForRequests(count: number, options: WaitOptions = {}): Promise<readonly GrantRecord[]> {
    return this.#log.waitForCount(count, options);
  }

  /** Scripts the next requests, one each. */
  script(...scripts: readonly FcmScript[]): void {
    this.#scripts.push(...scripts);
  }

  /** Revokes every access token: FCM answers each with 401 from now on. */
  revokeAll(): void {
    this.#deps.tokens.revokeAll();
  }

  /** Validates, logs and answers a request. */
  async serve(exchange: Exchange): Promise<void> {
    const { account, audience, now } = this.#deps;
    const { headers } = exchange;
    const body = exchange.body.toString();
    const verdict = validateGrant({
      contentType: headers["content-type"],
      body,
      account,
      audience,
      nowMs: now(),
    });
    const script = this.#scripts.shift() ?? null;
    this.#log.add({ headers, body, verdict, script });
    await script?.after;
    const response = isDelivered(script) ? this.#respond(verdict) : { status: 200 };
    await runScript(script, exchange, response);
  }

  #respond(verdict: Granted | GrantRefused): RawResponse {
    if (verdict.kind === "refused") return createTokenError(verdict);
    const body = {
      access_token: this.#deps.tokens.issue(verdict.scopes),
      expires_in: ACCESS_TOKEN_SECONDS,
      token_type: "Bearer",
    };
    return { status: 200, headers: JSON_HEADERS, body: JSON.stringify(body) };
  }
}

const JSON_HEADERS = { "content-type": "application/json; charset=utf-8" };

/** Returns the endpoint's response for an OAuth 2.0 error, also for scripts. */
export function createTokenError(refused: Omit<GrantRefused, "kind">): RawResponse {
  const { status, error, description } = refused;
  const body = JSON.stringify({ error, error_description: description });
  return { status, headers: JSON_HEADERS, body };
}
