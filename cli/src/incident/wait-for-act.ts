import { setTimeout as sleep } from "node:timers/promises";
import type { Client, IncidentReceipt } from "@tocsin/sdk";
import { isTemporary } from "../poll-result.ts";

/** The longest wait within one request, in seconds. */
const REQUEST_WAIT_MAX_SECONDS = 60;
/** The delay before the next request after a temporary error. */
const PAUSE_MS = 1_000;

/** Returns an incident once it is no longer `triggered`, or when the time is over. Survives a restart of the server. */
export async function waitForAct(
  { receipts }: Pick<Client, "receipts">,
  { id, waitSeconds }: { readonly id: string; readonly waitSeconds: number },
): Promise<IncidentReceipt> {
  const endsAtMs = performance.now() + waitSeconds * 1_000;
  for (;;) {
    const remainingSeconds = Math.max(0, Math.ceil((endsAtMs - performance.now()) / 1_000));
    try {
      const receipt = await receipts.get(id, {
        waitSeconds: Math.min(remainingSeconds, REQUEST_WAIT_MAX_SECONDS),
      });
      if (receipt.state !== "triggered" || performance.now() >= endsAtMs) return receipt;
    } catch (error) {
      if (!isTemporary(error) || performance.now() >= endsAtMs) throw error;
      await sleep(PAUSE_MS);
    }
  }
}
