import type { Address, Provider } from "#providers/provider.ts";
import { sampleMessage } from "./peers/message.ts";
import { keepBusy, type WorkFigures, type BusyOptions } from "./work.ts";

export interface ProviderUnderLoad {
  readonly provider: Provider;
  readonly nextAddress: () => Address;
}

/** Keeps sending one notification through a provider, and then closes it. Throws if an outcome is not `accepted`. */
export async function keepProviderBusy(
  { provider, nextAddress }: ProviderUnderLoad,
  { inFlight, duration }: Pick<BusyOptions, "inFlight" | "duration">,
): Promise<WorkFigures> {
  const message = sampleMessage();
  const { signal } = new AbortController();
  const busy = await keepBusy({ inFlight, duration }, async () => {
    const outcome = await provider.send(message, nextAddress(), signal);
    if (outcome.kind !== "accepted") throw new Error(`A push ended as ${JSON.stringify(outcome)}.`);
  });
  await provider.close();
  return busy;
}
