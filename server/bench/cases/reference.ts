import type { Scope } from "../../test/support/scope.ts";
import type { Bar, Contender } from "../case.ts";
import { startProcess } from "../start-process.ts";

/** The name of the measured server. */
export const TOCSIN = "Tocsin";
/** The name of the server that reads the same request and stores nothing, on the same core in the same run. */
export const REFERENCE = "bare Fastify";

/** Returns the contender that sends to bare Fastify; `startReference` starts it. */
export function createReference(connections: number): Contender {
  return {
    name: REFERENCE,
    kind: "reference",
    module: "send",
    input: { target: "bare", connections },
  };
}

/** Starts bare Fastify, and returns it as a target of the module `send`. */
export async function startReference(scope: Scope) {
  const { origin, pid } = await startProcess(scope, "bare-fastify");
  return { bare: { url: origin, pid, keys: ["any"] } };
}

/** Returns the bar for the processor time of a send, as a multiple of that of a request to bare Fastify. */
export function createCostBar(atMost: number): Bar {
  const label = "processor time, of a request to bare Fastify";
  return { label, contender: TOCSIN, baseline: REFERENCE, figure: "cpuUs", atMost };
}
