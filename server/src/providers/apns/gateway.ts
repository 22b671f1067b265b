import type { Http2Client } from "../http2/http2.ts";
import { judgeUnanswered } from "../http2/unanswered.ts";
import { MismatchShare } from "../mismatch-share.ts";
import type { Message } from "../provider.ts";
import { judgeAnswer } from "./answer.ts";
import type { ApnsJudgement } from "./answer.ts";
import { headersFor, NEVER_INDEXED } from "./headers.ts";
import type { ProviderToken } from "./provider-token.ts";
import { TokenProof } from "./token-proof.ts";

export interface GatewaySettings {
  /** Appears in the details of outcomes. */
  readonly host: string;
  readonly client: Http2Client;
  readonly providerToken: ProviderToken;
  readonly topic: string;
  readonly now: () => number;
  /** A monotonic clock, in milliseconds. */
  readonly elapsed: () => number;
}

export interface Push {
  readonly message: Message;
  readonly body: Buffer;
  readonly deviceToken: string;
  /** Aborts at the deadline, or when the caller gives up. */
  readonly signal: AbortSignal;
  readonly callerSignal: AbortSignal;
}

/** At most two connections are open, and the previous token may have made both unusable. The third one is new. */
const RESENDS = { new_token: 2, new_connection: 1, other_environment: 0 } as const;

/** One of Apple's two environments, with the state of our credential there. */
export class Gateway {
  readonly #settings: GatewaySettings;
  readonly #proof = new TokenProof();
  readonly #share: MismatchShare;

  constructor(settings: GatewaySettings) {
    this.#settings = settings;
    this.#share = new MismatchShare(settings.elapsed);
  }

  /** Sends one push. Resends it if the token or the connection caused the error. */
  async send(push: Push): Promise<ApnsJudgement> {
    const { providerToken } = this.#settings;
    let authorization = await providerToken.authorization();
    let judgement = await this.#attempt(push, authorization);
    for (let resends = 0; resends < allowedResends(judgement); resends += 1) {
      authorization =
        judgement.remedy === "new_token"
          ? await providerToken.renew(authorization)
          : await providerToken.authorization();
      judgement = await this.#attempt(push, authorization);
    }
    return judgement;
  }

  /** Closes every connection. */
  async close(): Promise<void> {
    await this.#settings.client.close();
  }

  async #attempt(push: Push, authorization: string): Promise<ApnsJudgement> {
    return this.#proof.run(authorization, async () => this.#request(push, authorization));
  }

  async #request(push: Push, authorization: string): Promise<ApnsJudgement> {
    const { client, topic, now, providerToken } = this.#settings;
    const { message, body, deviceToken: token, signal } = push;
    const askedAt = now();
    const exchange = await client.request({
      path: `/3/device/${token}`,
      headers: headersFor({ message, token, topic, authorization, now: askedAt }),
      neverIndexed: NEVER_INDEXED,
      body,
      signal,
    });
    if (exchange.kind !== "answered") {
      const { host } = this.#settings;
      const isCallerGone = push.callerSignal.aborted;
      const outcome = judgeUnanswered(exchange, { host, isCallerGone });
      return { outcome, remedy: null, isConnectionSpent: false, token: "unknown" };
    }
    const judgement = judgeAnswer(exchange.answer, {
      askedAt,
      now: now(),
      msToRenewal: providerToken.msToRenewal(),
      judgeMismatch: () => this.#share.judgeMismatch(),
    });
    if (judgement.isConnectionSpent) exchange.connection.retire();
    if (judgement.outcome.kind === "accepted") this.#share.noteAccepted();
    return judgement;
  }
}

function allowedResends({ remedy }: ApnsJudgement): number {
  return remedy === null ? 0 : RESENDS[remedy];
}
