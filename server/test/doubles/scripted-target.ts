import { Arrivals, type WaitOptions } from "./arrivals.ts";

/** A push service's state of one device: the log of its requests, and the scripts of the next ones. */
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

  /** Resolves with all requests once there are `count`, answered or not. */
  async waitForRequests(
    count: number,
    options: WaitOptions = {},
  ): Promise<readonly RequestRecord[]> {
    return this.#log.waitForCount(count, options);
  }

  /** Scripts the next requests, one each. */
  script(...scripts: readonly Script[]): void {
    this.#scripts.push(...scripts);
  }

  /** Removes and returns the next script, or null. */
  takeScript(): Script | null {
    return this.#scripts.shift() ?? null;
  }

  /** Adds a request to the log. */
  record(request: RequestRecord): void {
    this.#log.add(request);
  }
}
