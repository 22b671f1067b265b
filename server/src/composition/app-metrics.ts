import { Counter, Gauge, type Registry } from "prom-client";
import type { Proof } from "#apps/app.ts";
import type { StreamCount } from "#apps/hub.ts";
import { countOwed } from "#apps/store/presence.ts";
import type { Context } from "#context.ts";

const PROOFS: readonly Proof[] = ["answered", "written", "fetched", "resumed"];

/** Adds the metrics of connected apps to a registry. Returns the function that counts proofs. */
export function createAppMetrics(
  registry: Registry,
  context: Context,
  countStreams: () => readonly StreamCount[],
): (how: Proof, count: number) => void {
  const registers = [registry];
  observeConnections(registry, countStreams);
  const messages = new Counter({
    name: "tocsin_app_messages_total",
    help: "Messages that connected apps have, by the proof; a better proof of the same message counts again.",
    labelNames: ["how"],
    registers,
  });
  for (const how of PROOFS) messages.inc({ how }, 0);
  const owed = new Gauge({
    name: "tocsin_app_mailbox_owed",
    help: "Messages that wait until their app fetches them.",
    registers,
    async collect() {
      owed.set(await countOwed(context));
    },
  });
  return (how, count) => messages.inc({ how }, count);
}

function observeConnections(registry: Registry, countStreams: () => readonly StreamCount[]): void {
  const gauge = new Gauge({
    name: "tocsin_app_connections",
    help: "Open streams of connected apps in this process, by app and transport.",
    labelNames: ["client", "transport"],
    registers: [registry],
    collect() {
      gauge.reset();
      for (const { client, transport, count } of countStreams())
        gauge.set({ client, transport }, count);
    },
  });
}
