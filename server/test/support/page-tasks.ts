import assert from "node:assert/strict";
import { once } from "node:events";
import type { CDPSession, Page } from "puppeteer-core";

/** The tasks of pages, from Chromium's trace. */
export interface PageTasks {
  readonly count: number;
  /** The most that one of them computed, in milliseconds of processor time. */
  readonly longestMs: number;
}

/** The trace's name for the thread on which a page runs, and draws. */
const MAIN_THREAD = "CrRendererMain";
const END_MAX_MS = 120_000;

/**
 * Records the tasks of the browser's pages until the function that is returned is called. They count by the time that
 * the processor spent on them (`tdur` of the Trace Event Format): waiting for one on a busy machine is no work.
 */
export async function recordTasks(page: Page): Promise<() => Promise<PageTasks>> {
  const tools = await page.createCDPSession();
  const threads = new Map<string, { isMain: boolean; count: number; longestMs: number }>();
  tools.on("Tracing.dataCollected", ({ value }: { readonly value: readonly unknown[] }) => {
    for (const event of value.map(eventOf)) {
      const key = `${event.pid}:${event.tid}`;
      const thread = threads.get(key) ?? { isMain: false, count: 0, longestMs: 0 };
      threads.set(key, thread);
      if (event.name === "thread_name") thread.isMain ||= event.args?.name === MAIN_THREAD;
      // Of any name: tasks that wait for microtasks carry no time of their own, the parts in which they do so carry it.
      if (event.tdur === undefined) continue;
      thread.count += 1;
      thread.longestMs = Math.max(thread.longestMs, event.tdur / 1_000);
    }
  });
  await tools.send("Tracing.start", {
    transferMode: "ReportEvents",
    traceConfig: { includedCategories: ["toplevel", "__metadata"], excludedCategories: ["*"] },
  });
  return async () => {
    await endTracing(tools);
    const mains = [...threads.values()].filter(({ isMain }) => isMain);
    const count = mains.reduce((sum, main) => sum + main.count, 0);
    assert.ok(count > 0, "The trace tells of no task.");
    return { count, longestMs: Math.max(...mains.map(({ longestMs }) => longestMs)) };
  };
}

/** The fields read of an event; times are in microseconds. */
interface TraceEvent {
  readonly pid: number;
  readonly tid: number;
  readonly name: string;
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

function eventOf(value: unknown): TraceEvent {
  // Every event of the format has these; the others are looked for.
  return value as TraceEvent;
}

async function endTracing(tools: CDPSession): Promise<void> {
  const complete = new Promise<void>((resolve) => {
    tools.once("Tracing.tracingComplete", () => resolve());
  });
  await tools.send("Tracing.end");
  const late = AbortSignal.timeout(END_MAX_MS);
  await Promise.race([complete, once(late, "abort").then(() => Promise.reject(late.reason))]);
}
