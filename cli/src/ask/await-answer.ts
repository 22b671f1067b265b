import { setTimeout as sleep } from "node:timers/promises";
import type { Client, PromptReceipt } from "@tocsin/sdk";
import { isTemporary } from "../poll-result.ts";
import { retryTemporaryFailures } from "./retry-temporary-failures.ts";
import type { SentPrompt } from "./send-prompt.ts";

/** The longest wait within one request, in seconds. */
const REQUEST_WAIT_MAX_SECONDS = 60;
/** The delay before the next request after a temporary error. */
const PAUSE_MS = 500;
/** How long to retry the withdrawal while the server does not answer. */
const WITHDRAWAL_RETRY_MS = 15_000;

/**
 * Returns a prompt once it is no longer open, and withdraws the prompt when its time is over. Survives a restart of the
 * server and a lost connection. Rejects if the signal aborts.
 */
export async function awaitAnswer(
  { askedPrompts }: Client,
  { promptId, getRemainingMs }: SentPrompt,
  signal: AbortSignal,
): Promise<PromptReceipt> {
  for (;;) {
    const remainingSeconds = Math.ceil(getRemainingMs() / 1_000);
    if (remainingSeconds <= 0) break;
    const waitSeconds = Math.min(remainingSeconds, REQUEST_WAIT_MAX_SECONDS);
    try {
      const receipt = await askedPrompts.get(promptId, { waitSeconds, signal });
      if (receipt.state !== "open") return receipt;
    } catch (error) {
      if (!isTemporary(error)) throw error;
      await sleep(Math.min(PAUSE_MS, Math.max(0, getRemainingMs())), undefined, { signal });
    }
  }
  // If somebody has just answered, the server keeps the answer and returns it.
  return retryTemporaryFailures(() => askedPrompts.cancel(promptId, { signal }), {
    retryForMs: WITHDRAWAL_RETRY_MS,
    signal,
  });
}
