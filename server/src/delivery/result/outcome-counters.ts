import type { Context } from "#context.ts";
import { addUp } from "../store/outcome-counters.ts";

/** Delay after which counts are added up. */
const REST_MS = 10_000;
const AT_ONCE_MAX = 2_000;

/** Adds up the counts of settlements a while after them; queries read both the counts and their sums. */
export class OutcomeCounters {
  readonly #context: Context;
  #timer: NodeJS.Timeout | null = null;
  #run: Promise<void> | null = null;
  #isStopped = false;

  constructor(context: Context) {
    this.#context = context;
  }

  /** Notes that something was counted, by a settlement or by a process before this one. */
  note(): void {
    if (this.#timer !== null || this.#isStopped) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#run ??= this.#addAll();
    }, REST_MS).unref();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#run;
  }

  async #addAll(): Promise<void> {
    try {
      for (let count = AT_ONCE_MAX; count === AT_ONCE_MAX && !this.#isStopped;) {
        count = await addUp(this.#context, AT_ONCE_MAX);
      }
    } catch (error) {
      this.#context.log.warn({ err: error }, "counts are added up later");
      this.note();
    } finally {
      this.#run = null;
    }
  }
}
