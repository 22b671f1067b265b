import { Arrivals } from "./arrivals.ts";
import type { WaitOptions } from "./arrivals.ts";

/** State of a push service for one address: the log of requests to it, and the answers that tests planned for the next. */
export class ScriptedAddress<Judged, Scripted> {
  readonly #log: Arrivals<Judged>;
  readonly #script: Scripted[] = [];

  /** The name stands in the error of a wait that ends in vain: "requests to this subscription". */
  constructor(name: string) {
    this.#log = new Arrivals(name);
  }

  /** Every request so far, refused ones included. */
  get judged(): readonly Judged[] {
    return this.#log.all;
  }

  /** Resolves with every request so far once there are `count`, answered or not. */
  async received(count: number, options: WaitOptions = {}): Promise<readonly Judged[]> {
    return this.#log.received(count, options);
  }

  /** Plans the answers to the next requests, one each; after them the verdict decides again. */
  script(...answers: readonly Scripted[]): void {
    this.#script.push(...answers);
  }

  /** Takes the next planned answer away, or returns null where none is planned. */
  takeScripted(): Scripted | null {
    return this.#script.shift() ?? null;
  }

  /** Adds one request to the log. */
  record(judged: Judged): void {
    this.#log.add(judged);
  }
}
