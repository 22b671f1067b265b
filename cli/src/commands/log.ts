import type { Command } from "../command.ts";
import { explainSent } from "../log/explain.ts";
import { listSent } from "../log/list.ts";
import { parseLogRequest } from "../log/request.ts";
import { signedInClient } from "../signed-in.ts";

/** `tocsin log`. */
export const log: Command = async (args, terminal) => {
  const parsed = parseLogRequest(args, Date.now());
  const { client } = await signedInClient(parsed.server, terminal);
  return parsed.kind === "list"
    ? listSent(client, { request: parsed.request, terminal })
    : explainSent(client, { request: parsed.request, terminal });
};
