import { newIdempotencyKey, type Client } from "@tocsin/sdk";
import { CommandError } from "../command.ts";
import { startElapsedClock } from "../poll-result.ts";
import { sanitize, type Terminal } from "../terminal.ts";
import type { AskArguments } from "./arguments.ts";
import { retryTemporaryFailures } from "./retry-temporary-failures.ts";

/** A question that the server has accepted. */
export interface AskedQuestion {
  readonly promptId: string;
  /** Returns the time left to answer; negative once the time is over. */
  readonly getRemainingMs: () => number;
}

/** How long to repeat the send while the server does not answer: long enough for a restart. */
const SEND_RETRY_MS = 30_000;

/**
 * Asks a question once, even if the request is repeated. An abort ends only the repetition, not a request in progress:
 * without its response, nobody could withdraw the question.
 */
export async function askQuestion(
  client: Client,
  { question, groupId, waitSeconds }: AskArguments,
  { signal, terminal }: { readonly signal: AbortSignal; readonly terminal: Terminal },
): Promise<AskedQuestion> {
  const elapsedMs = startElapsedClock();
  const options = { idempotencyKey: newIdempotencyKey() };
  const retryForMs = Math.min(SEND_RETRY_MS, waitSeconds * 1_000);
  const send = () =>
    groupId === null
      ? client.notify(question, options)
      : client.notifyGroup(groupId, question, options);
  const { success, message, promptId } = await retryTemporaryFailures(send, { retryForMs, signal });
  if (promptId === undefined) {
    const reason = "This server is too old: it sent the question as an ordinary notification.";
    throw new CommandError(reason, { exit: "refused", code: "not_supported" });
  }
  if (!success) terminal.printNote(sanitize(message));
  return { promptId, getRemainingMs: () => waitSeconds * 1_000 - elapsedMs() };
}
