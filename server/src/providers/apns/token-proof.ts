import type { ApnsJudgement } from "./answer.ts";

/** Makes one request. */
type Ask = () => Promise<ApnsJudgement>;

interface Scout {
  readonly authorization: string;
  readonly judgement: Promise<ApnsJudgement>;
}

/**
 * Sends one request ahead with a token that Apple has not accepted yet, and lets the others follow. So a bad token costs one
 * refusal and one connection instead of one for each request of a burst: Apple throttles and disconnects clients that often
 * err.
 */
export class TokenProof {
  #taken: string | null = null;
  #scout: Scout | null = null;

  /** Returns the judgement of `ask`, or that of the request ahead if it says that the token is refused. */
  async ask(authorization: string, ask: Ask): Promise<ApnsJudgement> {
    if (this.#taken === authorization) return this.#follow(authorization, ask);
    if (this.#scout?.authorization !== authorization) return this.#goAhead(authorization, ask);
    // Ends within the time limit of the request ahead, which began earlier.
    const ahead = await this.#scout.judgement;
    return ahead.token === "refused" ? ahead : this.#follow(authorization, ask);
  }

  /** Follows a proven token, which may still be refused: a key can be revoked at any time. */
  async #follow(authorization: string, ask: Ask): Promise<ApnsJudgement> {
    const judgement = await ask();
    if (judgement.token === "refused" && this.#taken === authorization) this.#taken = null;
    return judgement;
  }

  async #goAhead(authorization: string, ask: Ask): Promise<ApnsJudgement> {
    const scout: Scout = { authorization, judgement: ask() };
    this.#scout = scout;
    try {
      const judgement = await scout.judgement;
      if (judgement.token === "taken") this.#taken = authorization;
      return judgement;
    } finally {
      if (this.#scout === scout) this.#scout = null;
    }
  }
}
