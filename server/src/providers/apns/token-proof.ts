import type { ApnsInterpretation } from "./interpret-response.ts";

/** Sends one request, and resolves with the interpretation of its response. */
type SendPush = () => Promise<ApnsInterpretation>;

interface FirstRequest {
  readonly authorization: string;
  readonly interpretation: Promise<ApnsInterpretation>;
}

/**
 * Sends one request first with a token that Apple has not accepted yet; the others wait for its result. So a bad token
 * costs one refusal and one connection, instead of one for each request of a burst. Apple throttles and disconnects
 * clients that often cause errors.
 */
export class TokenProof {
  #acceptedAuthorization: string | null = null;
  #firstRequest: FirstRequest | null = null;

  /** Resolves with the result of `sendPush`, or with the result of the first request if its token was refused. */
  send(authorization: string, sendPush: SendPush): Promise<ApnsInterpretation> {
    if (this.#acceptedAuthorization === authorization)
      return this.#sendAccepted(authorization, sendPush);
    return this.#firstRequest?.authorization === authorization
      ? this.#sendAfter(this.#firstRequest, sendPush)
      : this.#sendFirst(authorization, sendPush);
  }

  async #sendAfter(
    { authorization, interpretation }: FirstRequest,
    sendPush: SendPush,
  ): Promise<ApnsInterpretation> {
    // The wait ends within the time limit of the first request, which began earlier.
    const firstInterpretation = await interpretation;
    return firstInterpretation.tokenState === "refused"
      ? firstInterpretation
      : this.#sendAccepted(authorization, sendPush);
  }

  /** Sends a request with an accepted token, which may be refused later: a key can be revoked at any time. */
  #sendAccepted(authorization: string, sendPush: SendPush): Promise<ApnsInterpretation> {
    return sendPush().then((interpretation) => {
      if (interpretation.tokenState === "refused" && this.#acceptedAuthorization === authorization)
        this.#acceptedAuthorization = null;
      return interpretation;
    });
  }

  async #sendFirst(authorization: string, sendPush: SendPush): Promise<ApnsInterpretation> {
    const firstRequest: FirstRequest = { authorization, interpretation: sendPush() };
    this.#firstRequest = firstRequest;
    try {
      const interpretation = await firstRequest.interpretation;
      if (interpretation.tokenState === "accepted") this.#acceptedAuthorization = authorization;
      return interpretation;
    } finally {
      if (this.#firstRequest === firstRequest) this.#firstRequest = null;
    }
  }
}
