import type { Address, Message, Outcome, Provider } from "#providers/provider.ts";

/** Makes one attempt as delivery does: with the provider's admission, if it has one. */
export async function sendAdmitted(
  provider: Provider,
  { message, address, signal }: { message: Message; address: Address; signal: AbortSignal },
): Promise<Outcome> {
  const request = { address, accountId: "ann", isBulk: false, signal, onAside() {} };
  const admission = (await provider.enter?.(request)) ?? { kind: "taken", leave() {} };
  if (admission.kind === "none") return admission.outcome;
  try {
    return await provider.send(message, address, signal);
  } finally {
    admission.leave();
  }
}
