import type { Address, Message, Outcome, Provider } from "#providers/provider.ts";

/** Makes one attempt as delivery does: with the provider's admission, if it has one. */
export async function sendWithAdmission(
  provider: Provider,
  { message, address, signal }: { message: Message; address: Address; signal: AbortSignal },
): Promise<Outcome> {
  const request = { address, accountId: "ann", isBulk: false, signal, onLongWait() {} };
  const admission = (await provider.acquirePermit?.(request)) ?? { kind: "taken", release() {} };
  if (admission.kind === "none") return admission.outcome;
  try {
    return await provider.send(message, address, signal);
  } finally {
    admission.release();
  }
}
