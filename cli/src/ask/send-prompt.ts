import { newIdempotencyKey, type Client } from "@tocsin/sdk";
import { CommandError } from "../command.ts";
import { startElapsedClock } from "../poll-result.ts";
import { sanitize, type Terminal } from "../terminal.ts";
import type { AskArguments } from "./arguments.ts";
import { retryTemporaryFailures } from "./retry-temporary-failures.ts";

/** A prompt that the server has accepted. */
export interface SentPrompt {
  readonly promptId: string;
  /** Returns the time left to answer; negative once the time is over. */
  readonly getRemainingMs: () => number;
}

/** How long to retry the send while the server does not answer: long enough for a restart. */
const SEND_RETRY_MS = 30_000;

/**
 * Sends a prompt once, even if the request is retried. An abort ends only the retries, not a request in progress:
 * without the response to that request, nobody could withdraw the prompt.
 */
export async function sendPrompt(
  client: Client,
  { prompt, groupId, waitSeconds }: AskArguments,
  { signal, terminal }: { readonly signal: AbortSignal; readonly terminal: Terminal },
): Promise<SentPrompt> {
  const elapsedMs = startElapsedClock();
  const options = { idempotencyKey: newIdempotencyKey() };
  const retryForMs = Math.min(SEND_RETRY_MS, waitSeconds * 1_000);
  const send = () =>
    groupId === null
      ? client.notify(prompt, options)
      : client.notifyGroup(groupId, prompt, options);
  const { success, message, promptId } = await retryTemporaryFailures(send, { retryForMs, signal });
  if (promptId === undefined) {
    const reason = "This server is too old: it sent the question as an ordinary notification.";
    throw new CommandError(reason, { exit: "refused", code: "not_supported" });
  }
  if (!success) terminal.printNote(sanitize(message));
  return { promptId, getRemainingMs: () => waitSeconds * 1_000 - elapsedMs() };
}
