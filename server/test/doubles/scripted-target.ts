import { Arrivals, type WaitOptions } from "./arrivals.ts";

/**
 * One device as a simulated push service sees it: the requests for the device so far, and the scripted responses to the
 * next ones.
 */
export class ScriptedTarget<RequestRecord, Script> {
  readonly #log: Arrivals<RequestRecord>;
  readonly #scripts: Script[] = [];

  /** `name` is used in timeout errors: "requests to this subscription". */
  constructor(name: string) {
    this.#log = new Arrivals(name);
  }

  /** Every request so far, including refused ones. */
  get requests(): readonly RequestRecord[] {
    return this.#log.all;
  }

  /** Resolves with all requests once there are `count` of them, including those that have no response yet. */
  async waitForRequests(
    count: number,
    options: WaitOptions = {},
  ): Promise<readonly RequestRecord[]> {
    return this.#log.waitForCount(count, options);
  }

  /** Adds scripts, each for one of the next requests. */
  script(...scripts: readonly Script[]): void {
    this.#scripts.push(...scripts);
  }

  /** Removes and returns the script of the next request; null if that request has none. */
  takeScript(): Script | null {
    return this.#scripts.shift() ?? null;
  }

  /** Adds a request to the log. */
  record(request: RequestRecord): void {
    this.#log.add(request);
  }
}
