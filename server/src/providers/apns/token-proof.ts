import type { Judgement } from "./answer.ts";

/** Makes one request. */
type Ask = () => Promise<Judgement>;

interface Scout {
  readonly authorization: string;
  readonly judgement: Promise<Judgement>;
}

/**
 * Lets one request go ahead with a token that Apple has not taken yet, and the others after it. A token that is no good
 * so costs one refusal and one connection instead of one for each request of a burst: Apple slows down and disconnects
 * whoever errs often.
 */
export class TokenProof {
  #taken: string | null = null;
  #scout: Scout | null = null;

  /** Returns the judgement of `ask`, or the one that came ahead where it says that the token is refused. */
  async ask(authorization: string, ask: Ask): Promise<Judgement> {
    if (this.#taken === authorization) return this.#follow(authorization, ask);
    if (this.#scout?.authorization !== authorization) return this.#goAhead(authorization, ask);
    // As long as it lasts at most the time limit of the one that went ahead, which began earlier.
    const ahead = await this.#scout.judgement;
    return ahead.token === "refused" ? ahead : this.#follow(authorization, ask);
  }

  /** A key can be revoked at any time. */
  async #follow(authorization: string, ask: Ask): Promise<Judgement> {
    const judgement = await ask();
    if (judgement.token === "refused" && this.#taken === authorization) this.#taken = null;
    return judgement;
  }

  async #goAhead(authorization: string, ask: Ask): Promise<Judgement> {
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
