import type { Command } from "../command.ts";
import { explainSent } from "../log/explain.ts";
import { listSent } from "../log/list.ts";
import { parseLogOrder } from "../log/order.ts";
import { signedInClient } from "../signed-in.ts";

/** `tocsin log`. */
export const log: Command = async (args, terminal) => {
  const parsed = parseLogOrder(args, Date.now());
  const { client } = await signedInClient(parsed.server, terminal);
  return parsed.kind === "list"
    ? listSent(client, { order: parsed.order, terminal })
    : explainSent(client, { order: parsed.order, terminal });
};
