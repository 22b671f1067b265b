import { newIdempotencyKey, type Client } from "@tocsin/sdk";
import { CommandError } from "../command.ts";
import { startElapsedClock } from "../poll-result.ts";
import { sanitize, type Terminal } from "../terminal.ts";
import type { AskArguments } from "./arguments.ts";
import { untilAnswered } from "./until-answered.ts";

/** A question that is asked. */
export interface AskedQuestion {
  readonly promptId: string;
  /** Returns the rest of the time to answer. */
  readonly getRemainingMs: () => number;
}

/** How long the question is sent again, if the server does not answer: enough for a restart. */
const SEND_PATIENCE_MS = 30_000;

/**
 * Asks a question once, even if the request is repeated. A signal that aborts does not end the request: without its
 * response, nobody could withdraw the question.
 */
export async function askQuestion(
  client: Client,
  { question, groupId, waitSeconds }: AskArguments,
  { signal, terminal }: { readonly signal: AbortSignal; readonly terminal: Terminal },
): Promise<AskedQuestion> {
  const elapsedMs = startElapsedClock();
  const options = { idempotencyKey: newIdempotencyKey() };
  const patienceMs = Math.min(SEND_PATIENCE_MS, waitSeconds * 1_000);
  const send = () =>
    groupId === null
      ? client.notify(question, options)
      : client.notifyGroup(groupId, question, options);
  const { success, message, promptId } = await untilAnswered(send, { patienceMs, signal });
  if (promptId === undefined) {
    const reason = "This server is too old: it sent the question as an ordinary notification.";
    throw new CommandError(reason, { exit: "refused", code: "not_supported" });
  }
  if (!success) terminal.printNote(sanitize(message));
  return { promptId, getRemainingMs: () => waitSeconds * 1_000 - elapsedMs() };
}
