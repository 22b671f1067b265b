import type { Command } from "../command.ts";
import { explainSent } from "../log/explain.ts";
import { listSent } from "../log/list.ts";
import { parseLogOrder } from "../log/order.ts";
import { signedIn } from "../signed-in.ts";

/** `tocsin log`. */
export const log: Command = async (args, terminal) => {
  const asked = parseLogOrder(args, Date.now());
  const { client } = await signedIn(asked.server, terminal);
  return asked.kind === "list"
    ? listSent(client, { order: asked.order, terminal })
    : explainSent(client, { order: asked.order, terminal });
};
