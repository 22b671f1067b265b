import { setTimeout as sleep } from "node:timers/promises";
import type { Client, PromptReceipt } from "@tocsin/sdk";
import { isTemporary } from "../poll-result.ts";
import type { AskedQuestion } from "./ask-question.ts";
import { untilAnswered } from "./until-answered.ts";

/** The longest wait within one request, in seconds. */
const REQUEST_WAIT_MAX_SECONDS = 60;
/** The delay before the next request after a temporary error. */
const PAUSE_MS = 500;
/** How long the end of the wait is asked for, if the server does not answer then. */
const END_PATIENCE_MS = 15_000;

/**
 * Returns a question once it has ended, or withdraws it when its time is over. Survives a restart of the server and a
 * lost connection. Rejects with the reason of the signal if that aborts.
 */
export async function awaitAnswer(
  { askedPrompts }: Client,
  { promptId, getRemainingMs }: AskedQuestion,
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
  // An answer that came in the meantime stays, and is returned.
  return untilAnswered(() => askedPrompts.cancel(promptId, { signal }), {
    patienceMs: END_PATIENCE_MS,
    signal,
  });
}
