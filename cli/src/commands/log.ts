import type { Command } from "../command.ts";
import { explainNotification } from "../log/explain.ts";
import { listNotifications } from "../log/list.ts";
import { parseLogRequest } from "../log/request.ts";
import { createSignedInClient } from "../signed-in-client.ts";

/** Lists notifications, or explains the deliveries of one: `tocsin log`. */
export const logCommand: Command = async (args, terminal) => {
  const parsed = parseLogRequest(args, Date.now());
  const { client } = await createSignedInClient(parsed.connection, terminal);
  return parsed.kind === "list"
    ? listNotifications(client, { request: parsed.request, terminal })
    : explainNotification(client, { request: parsed.request, terminal });
};
