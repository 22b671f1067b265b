import type { ApnsJudgement } from "./answer.ts";

/** Sends one request. */
type TrialSend = () => Promise<ApnsJudgement>;

interface FirstRequest {
  readonly authorization: string;
  readonly judgement: Promise<ApnsJudgement>;
}

/**
 * Sends one request first with a token that Apple has not accepted yet; the others wait for its result. So a bad token costs
 * one refusal and one connection, instead of one for each request of a burst. Apple throttles and disconnects clients that
 * often cause errors.
 */
export class TokenProof {
  #proven: string | null = null;
  #first: FirstRequest | null = null;

  /** Returns the judgement of `send`, or the judgement of the first request if its token was refused. */
  async run(authorization: string, send: TrialSend): Promise<ApnsJudgement> {
    if (this.#proven === authorization) return this.#sendProven(authorization, send);
    if (this.#first?.authorization !== authorization) return this.#sendFirst(authorization, send);
    // Ends within the time limit of the first request, which began earlier.
    const first = await this.#first.judgement;
    return first.token === "refused" ? first : this.#sendProven(authorization, send);
  }

  /** Sends a request with a proven token, which may still be refused: a key can be revoked at any time. */
  async #sendProven(authorization: string, send: TrialSend): Promise<ApnsJudgement> {
    const judgement = await send();
    if (judgement.token === "refused" && this.#proven === authorization) this.#proven = null;
    return judgement;
  }

  async #sendFirst(authorization: string, send: TrialSend): Promise<ApnsJudgement> {
    const first: FirstRequest = { authorization, judgement: send() };
    this.#first = first;
    try {
      const judgement = await first.judgement;
      if (judgement.token === "taken") this.#proven = authorization;
      return judgement;
    } finally {
      if (this.#first === first) this.#first = null;
    }
  }
}
