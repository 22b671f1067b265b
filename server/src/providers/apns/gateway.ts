import type { Http2Client } from "../http2/http2.ts";
import { interpretUnanswered } from "../http2/unanswered.ts";
import { MismatchClassifier } from "../mismatch-classifier.ts";
import type { Message } from "../provider.ts";
import { interpretResponse, type ApnsInterpretation } from "./interpret-response.ts";
import { createHeaders, NEVER_INDEXED_HEADERS } from "./headers.ts";
import type { ProviderToken } from "./provider-token.ts";
import { TokenProof } from "./token-proof.ts";

/** The dependencies of a gateway. */
export interface GatewayDeps {
  /** The host name, for the details of outcomes. */
  readonly host: string;
  readonly client: Http2Client;
  readonly providerToken: ProviderToken;
  readonly topic: string;
  readonly now: () => number;
  /** A monotonic clock, in milliseconds. */
  readonly elapsed: () => number;
}

/** A push to one device, with its encoded payload. */
export interface OutgoingPush {
  readonly message: Message;
  readonly body: Buffer;
  readonly deviceToken: string;
  /** Aborts at the deadline, or when the caller aborts. */
  readonly signal: AbortSignal;
  readonly callerSignal: AbortSignal;
}

/**
 * The maximum number of resends by remedy. A refused token may have made both open connections unusable; a third is
 * new.
 */
const RESENDS_MAX = { new_token: 2, new_connection: 1, other_environment: 0 } as const;

/** One of Apple's two environments, with the state of our credential there. */
export class Gateway {
  readonly #deps: GatewayDeps;
  readonly #tokenProof = new TokenProof();
  readonly #mismatchClassifier: MismatchClassifier;

  constructor(deps: GatewayDeps) {
    this.#deps = deps;
    this.#mismatchClassifier = new MismatchClassifier(deps.elapsed);
  }

  /** Sends one push. Resends it if the token or the connection caused the error. */
  async send(push: OutgoingPush): Promise<ApnsInterpretation> {
    const { providerToken } = this.#deps;
    let authorization = await providerToken.getAuthorization();
    let interpretation = await this.#attempt(push, authorization);
    for (let resends = 0; resends < getResendsMax(interpretation); resends += 1) {
      authorization =
        interpretation.remedy === "new_token"
          ? await providerToken.renew(authorization)
          : await providerToken.getAuthorization();
      interpretation = await this.#attempt(push, authorization);
    }
    return interpretation;
  }

  /** Closes every connection. */
  async close(): Promise<void> {
    await this.#deps.client.close();
  }

  #attempt(push: OutgoingPush, authorization: string): Promise<ApnsInterpretation> {
    return this.#tokenProof.send(authorization, () => this.#request(push, authorization));
  }

  async #request(push: OutgoingPush, authorization: string): Promise<ApnsInterpretation> {
    const { client, topic, now, providerToken } = this.#deps;
    const { message, body, deviceToken, signal } = push;
    const requestedAt = now();
    const exchange = await client.request({
      path: `/3/device/${deviceToken}`,
      headers: createHeaders({ message, deviceToken, topic, authorization, now: requestedAt }),
      neverIndexed: NEVER_INDEXED_HEADERS,
      body,
      signal,
    });
    if (exchange.kind !== "answered") {
      const { host } = this.#deps;
      const isCallerGone = push.callerSignal.aborted;
      const outcome = interpretUnanswered(exchange, { host, isCallerGone });
      return { outcome, remedy: null, shouldRetireConnection: false, tokenState: "unknown" };
    }
    const interpretation = interpretResponse(exchange.response, {
      requestedAt,
      now: now(),
      getRenewalWaitMs: () => providerToken.getRenewalWaitMs(),
      classifyMismatch: () => this.#mismatchClassifier.classifyMismatch(),
    });
    if (interpretation.shouldRetireConnection) exchange.connection.retire();
    if (interpretation.outcome.kind === "accepted") this.#mismatchClassifier.recordAccepted();
    return interpretation;
  }
}

function getResendsMax({ remedy }: ApnsInterpretation): number {
  return remedy === null ? 0 : RESENDS_MAX[remedy];
}
