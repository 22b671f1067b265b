import assert from "node:assert/strict";
import { once } from "node:events";
import type { CDPSession, Page } from "puppeteer-core";

/** Tasks of pages, from Chromium's trace. */
export interface PageTasks {
  readonly count: number;
  /** Processor time of the longest task, in milliseconds. */
  readonly longestMs: number;
}

/** The trace's name of the thread that runs and draws a page. */
const MAIN_THREAD = "CrRendererMain";
const END_TIMEOUT_MS = 120_000;

/**
 * Records the tasks of the browser's pages until the returned function is called. Measures processor time (`tdur` of the
 * Trace Event Format), so that waiting on a busy machine is not included.
 */
export async function recordPageTasks(page: Page): Promise<() => Promise<PageTasks>> {
  const session = await page.createCDPSession();
  const threads = new Map<string, { isMain: boolean; count: number; longestMs: number }>();
  session.on("Tracing.dataCollected", ({ value }: { readonly value: readonly unknown[] }) => {
    for (const event of value.map(toTraceEvent)) {
      const key = `${event.pid}:${event.tid}`;
      const thread = threads.get(key) ?? { isMain: false, count: 0, longestMs: 0 };
      threads.set(key, thread);
      if (event.name === "thread_name") thread.isMain ||= event.args?.name === MAIN_THREAD;
      // Events of any name, because a task that runs microtasks has its time only in its nested events.
      if (event.tdur === undefined) continue;
      thread.count += 1;
      thread.longestMs = Math.max(thread.longestMs, event.tdur / 1_000);
    }
  });
  await session.send("Tracing.start", {
    transferMode: "ReportEvents",
    traceConfig: { includedCategories: ["toplevel", "__metadata"], excludedCategories: ["*"] },
  });
  return async () => {
    await endTracing(session);
    const mainThreads = [...threads.values()].filter(({ isMain }) => isMain);
    const count = mainThreads.reduce((sum, thread) => sum + thread.count, 0);
    assert.ok(count > 0, "The trace has no task.");
    return { count, longestMs: Math.max(...mainThreads.map(({ longestMs }) => longestMs)) };
  };
}

/** The used fields of an event. Times are in microseconds. */
interface TraceEvent {
  readonly pid: number;
  readonly tid: number;
  readonly name: string;
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

function toTraceEvent(value: unknown): TraceEvent {
  // Every event has the required fields; optional ones are checked.
  return value as TraceEvent;
}

async function endTracing(session: CDPSession): Promise<void> {
  const complete = new Promise<void>((resolve) => {
    session.once("Tracing.tracingComplete", () => resolve());
  });
  await session.send("Tracing.end");
  const timeout = AbortSignal.timeout(END_TIMEOUT_MS);
  await Promise.race([complete, once(timeout, "abort").then(() => Promise.reject(timeout.reason))]);
}
