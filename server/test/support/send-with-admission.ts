import type { Address, Message, Outcome, Provider } from "#providers/provider.ts";

/** Makes one attempt as delivery does: with the provider's permit, if it gives permits. */
export async function sendWithAdmission(
  provider: Provider,
  { message, address, signal }: { message: Message; address: Address; signal: AbortSignal },
): Promise<Outcome> {
  const request = { address, accountId: "ann", isBulk: false, signal, onLongWait() {} };
  const permit = (await provider.acquirePermit?.(request)) ?? { kind: "taken", release() {} };
  if (permit.kind === "none") return permit.outcome;
  try {
    return await provider.send(message, address, signal);
  } finally {
    permit.release();
  }
}
