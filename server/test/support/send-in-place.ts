import type { Address, Message, Outcome, Provider } from "#providers/provider.ts";

/** Makes one attempt as delivery does: in a place of the provider's, where it has its own. */
export async function sendInPlace(
  provider: Provider,
  { message, address, signal }: { message: Message; address: Address; signal: AbortSignal },
): Promise<Outcome> {
  const request = { address, accountId: "ann", isBulk: false, signal, onAside() {} };
  const place = (await provider.enter?.(request)) ?? { kind: "taken", leave() {} };
  if (place.kind === "none") return place.outcome;
  try {
    return await provider.send(message, address, signal);
  } finally {
    place.leave();
  }
}
