import type { Address, Provider } from "#providers/provider.ts";
import { createSampleMessage } from "./support/sample-message.ts";
import {
  measureThroughput,
  type ThroughputFigures,
  type ThroughputOptions,
} from "./measure-throughput.ts";

/** A provider, and the addresses that it sends to in turn. */
export interface ProviderUnderLoad {
  readonly provider: Provider;
  readonly nextAddress: () => Address;
}

/** Keeps sending one notification through a provider, and then closes it. Throws if an outcome is not `accepted`. */
export async function keepProviderBusy(
  { provider, nextAddress }: ProviderUnderLoad,
  { concurrency, durations }: Pick<ThroughputOptions, "concurrency" | "durations">,
): Promise<ThroughputFigures> {
  const message = createSampleMessage();
  const { signal } = new AbortController();
  const figures = await measureThroughput({ concurrency, durations }, async () => {
    const outcome = await provider.send(message, nextAddress(), signal);
    if (outcome.kind !== "accepted") throw new Error(`A push ended as ${JSON.stringify(outcome)}.`);
  });
  await provider.close();
  return figures;
}
