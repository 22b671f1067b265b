import type { Address, Provider } from "#providers/provider.ts";
import { sampleMessage } from "./peers/message.ts";
import { keepBusy, type Busy, type BusyOptions } from "./work.ts";

export interface Providing {
  readonly provider: Provider;
  readonly nextAddress: () => Address;
}

/** Keeps sending one notification through a provider, then closes it; an outcome other than `accepted` aborts. */
export async function keepProviding(
  { provider, nextAddress }: Providing,
  { inFlight, span }: Pick<BusyOptions, "inFlight" | "span">,
): Promise<Busy> {
  const message = sampleMessage();
  const { signal } = new AbortController();
  const busy = await keepBusy({ inFlight, span }, async () => {
    const outcome = await provider.send(message, nextAddress(), signal);
    if (outcome.kind !== "accepted") throw new Error(`A push ended as ${JSON.stringify(outcome)}.`);
  });
  await provider.close();
  return busy;
}
