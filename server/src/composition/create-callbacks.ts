import { createCallbackConnections } from "#callbacks/connections.ts";
import { CallbackSender } from "#callbacks/callback-sender.ts";
import type { Context } from "#context.ts";
import type { Nodes } from "#nodes/nodes.ts";
import type { Metrics } from "./metrics.ts";
import type { AppOptions } from "./rooms.ts";

/** The topic of messages about due callbacks. */
export const CALLBACK_TOPIC = "callback";

interface CallbackDeps {
  readonly context: Context;
  readonly nodes: Nodes;
  readonly metrics: Metrics;
}

/** Returns the sender of callbacks, and a function that closes its connections. */
export function createCallbacks(
  { config, callbacks }: Pick<AppOptions, "config" | "callbacks">,
  { context, nodes, metrics }: CallbackDeps,
) {
  const connections = createCallbackConnections({
    allowOrigins: config.callbackAllowOrigins,
    ...callbacks,
  });
  const sender = new CallbackSender({
    context,
    send: connections.send,
    publishDue: () => nodes.publish(CALLBACK_TOPIC),
    onResult: (result) => metrics.countCallback(result),
  });
  return { callbacks: sender, closeCallbacks: () => connections.close() };
}
