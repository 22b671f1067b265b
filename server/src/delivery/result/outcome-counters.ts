import type { Context } from "#context.ts";
import { addUpCounts } from "../store/outcome-counters.ts";

/** Delay before counts are added up. */
const DELAY_MS = 10_000;
const PAGE_MAX = 2_000;

/** Adds up the counts of settlements after a delay. Queries read both the counts and their sums. */
export class OutcomeCounters {
  readonly #context: Context;
  #timer: NodeJS.Timeout | null = null;
  #run: Promise<void> | null = null;
  #isStopped = false;

  constructor(context: Context) {
    this.#context = context;
  }

  /** Schedules the adding up of new counts, from a settlement or an earlier process. */
  scheduleAddUp(): void {
    if (this.#timer !== null || this.#isStopped) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#run ??= this.#addUpAll();
    }, DELAY_MS).unref();
  }

  /** Schedules nothing more, and waits for a run that adds up counts. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#run;
  }

  async #addUpAll(): Promise<void> {
    try {
      for (let count = PAGE_MAX; count === PAGE_MAX && !this.#isStopped;) {
        count = await addUpCounts(this.#context, PAGE_MAX);
      }
    } catch (error) {
      this.#context.log.warn({ err: error }, "counts are added up later");
      this.scheduleAddUp();
    } finally {
      this.#run = null;
    }
  }
}
