import type { KeyObject } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { Arrivals } from "../arrivals.ts";
import type { WaitOptions } from "../arrivals.ts";
import { ACCESS_TOKEN_SECONDS } from "./access-tokens.ts";
import type { AccessTokens } from "./access-tokens.ts";
import type { Exchange, RawAnswer } from "./exchange.ts";
import { isDelivered, perform } from "./fcm-script.ts";
import type { ScriptedAnswer } from "./fcm-script.ts";
import { judgeGrant } from "./oauth-rules.ts";
import type { Granted, GrantRefused } from "./oauth-rules.ts";
import type { ServiceAccount } from "./service-account.ts";

/** One request to the token endpoint and what Google thinks of it. */
export interface JudgedGrant {
  readonly headers: IncomingHttpHeaders;
  /** The form as it came. */
  readonly body: string;
  readonly verdict: Granted | GrantRefused;
  /** The answer that the client got instead of the verdict, if a test asked for one. */
  readonly scripted: ScriptedAnswer | null;
}

interface Settings {
  readonly account: ServiceAccount;
  readonly tokens: AccessTokens;
  /** The required `aud` of an assertion. */
  readonly audience: string;
  readonly now: () => number;
}

/** Google's token endpoint: it mints access tokens for one service account. */
export class TokenEndpoint {
  readonly #settings: Settings;
  readonly #log = new Arrivals<JudgedGrant>("requests for access tokens");
  readonly #script: ScriptedAnswer[] = [];

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /** The public key that verifies the account's assertions. */
  get publicKey(): KeyObject {
    return this.#settings.account.publicKey;
  }

  /** Every request so far, refused ones included. */
  get judged(): readonly JudgedGrant[] {
    return this.#log.all;
  }

  /** Resolves with every request so far once there are `count`, answered or not. */
  async received(count: number, options: WaitOptions = {}): Promise<readonly JudgedGrant[]> {
    return this.#log.received(count, options);
  }

  /** Plans the next answers, one each; after them the verdict decides again. */
  script(...answers: readonly ScriptedAnswer[]): void {
    this.#script.push(...answers);
  }

  /** Ends every access token before its time: FCM answers each with 401 from now on. */
  revokeAll(): void {
    this.#settings.tokens.revokeAll();
  }

  /** Judges one request, logs it and ends it. */
  async serve(exchange: Exchange): Promise<void> {
    const { account, audience, now } = this.#settings;
    const { headers } = exchange;
    const body = exchange.body.toString();
    const verdict = judgeGrant({
      contentType: headers["content-type"],
      body,
      account,
      audience,
      nowMs: now(),
    });
    const scripted = this.#script.shift() ?? null;
    this.#log.add({ headers, body, verdict, scripted });
    await scripted?.after;
    const answer = isDelivered(scripted) ? this.#answer(verdict) : { status: 200 };
    await perform(scripted, exchange, answer);
  }

  #answer(verdict: Granted | GrantRefused): RawAnswer {
    if (verdict.kind === "refused") return tokenError(verdict);
    const body = {
      access_token: this.#settings.tokens.mint(verdict.scopes),
      expires_in: ACCESS_TOKEN_SECONDS,
      token_type: "Bearer",
    };
    return { status: 200, headers: JSON_HEADERS, body: JSON.stringify(body) };
  }
}

const JSON_HEADERS = { "content-type": "application/json; charset=utf-8" };

/** Returns the endpoint's answer for an error of OAuth 2.0, for scripts as well. */
export function tokenError(refused: Omit<GrantRefused, "kind">): RawAnswer {
  const { status, error, description } = refused;
  const body = JSON.stringify({ error, error_description: description });
  return { status, headers: JSON_HEADERS, body };
}
