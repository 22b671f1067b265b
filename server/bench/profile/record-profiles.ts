import { setTimeout as wait } from "node:timers/promises";
import { Inspector, type InspectorMessage } from "./inspector.ts";

/** The interval of the samples, in microseconds. */
const SAMPLING_INTERVAL_US = 250;

/** A sampling profile of V8: its nodes form a call tree, and each sample names the node that ran. */
export interface CpuProfile {
  readonly nodes: readonly ProfileNode[];
  readonly samples: readonly number[];
  /** The time from the previous sample to each sample, in microseconds; the first is from the start. */
  readonly timeDeltas: readonly number[];
}

/** A node of the call tree. */
export interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string };
  readonly children?: readonly number[];
}

/** The profiles of the threads of a process, by the name of the thread. */
export type ThreadProfiles = ReadonlyMap<string, CpuProfile>;

/** Records all JavaScript threads of a Node process for a while. */
export async function recordProfiles(pid: number, durationMs: number): Promise<ThreadProfiles> {
  const inspector = await Inspector.open(pid);
  try {
    const workers = await attachToWorkers(inspector);
    const sessions = [createMainSession(inspector), ...workers];
    for (const { call } of sessions) {
      await call("Profiler.enable");
      await call("Profiler.setSamplingInterval", { interval: SAMPLING_INTERVAL_US });
      await call("Profiler.start");
    }
    await wait(durationMs);
    const profiles = new Map<string, CpuProfile>();
    for (const { name, call } of sessions) {
      const { profile } = await call("Profiler.stop");
      profiles.set(name, profile as CpuProfile); // The protocol defines this result.
    }
    return profiles;
  } finally {
    inspector.close();
  }
}

interface ThreadSession {
  readonly name: string;
  readonly call: Inspector["call"];
}

function createMainSession(inspector: Inspector): ThreadSession {
  return { name: "main thread", call: (method, params) => inspector.call(method, params) };
}

/** Attaches to the worker threads that run now; their messages pass through the main thread. */
async function attachToWorkers(inspector: Inspector): Promise<readonly ThreadSession[]> {
  const names = new Map<string, string>();
  const pending = new Map<string, (message: InspectorMessage) => void>();
  inspector.onEvent = ({ method, params = {} }) => {
    const sessionId = String(params["sessionId"]);
    if (method === "NodeWorker.attachedToWorker") {
      const { title } = params["workerInfo"] as { title: string }; // The protocol defines this event.
      names.set(sessionId, title);
    } else if (method === "NodeWorker.receivedMessageFromWorker") {
      // The worker speaks the same protocol.
      const message = JSON.parse(String(params["message"])) as InspectorMessage;
      pending.get(`${sessionId} ${message.id}`)?.(message);
    }
  };
  await inspector.call("NodeWorker.enable", { waitForDebuggerOnStart: false });
  let lastId = 0;
  return [...names].map(([sessionId, name]) => ({
    name,
    call: async (method, params = {}) => {
      lastId += 1;
      const { promise, resolve } = Promise.withResolvers<InspectorMessage>();
      pending.set(`${sessionId} ${lastId}`, resolve);
      const message = JSON.stringify({ id: lastId, method, params });
      await inspector.call("NodeWorker.sendMessageToWorker", { sessionId, message });
      return (await promise).result ?? {};
    },
  }));
}
