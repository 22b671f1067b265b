import { createPrivateKey } from "node:crypto";
import { createApnsProvider } from "#providers/apns/apns.ts";
import type { Address } from "#providers/provider.ts";
import { keepProviderBusy } from "../keep-provider-busy.ts";
import { nextToken } from "../support/sample-message.ts";
import { generateApnsSender } from "../support/sender-credentials.ts";
import type { PushService } from "../support/serve-push-service.ts";
import type { ThroughputFigures, MeasurementDurations } from "../measure-throughput.ts";

const CONCURRENCY = 500;

/** Sends one notification to many iPhones through our provider, including payload, deadlines and response parsing. */
export async function measureRound(
  { origin, ca }: PushService,
  durations: MeasurementDurations,
): Promise<ThroughputFigures> {
  const { privateKey, ...sender } = generateApnsSender();
  const provider = createApnsProvider({
    ...sender,
    key: createPrivateKey(privateKey),
    url: origin,
    sandboxUrl: origin,
    now: Date.now,
    elapsed: () => performance.now(),
    random: Math.random,
    ca,
  });
  return keepProviderBusy({ provider, nextAddress }, { concurrency: CONCURRENCY, durations });
}

function nextAddress(): Address {
  return { provider: "apns", token: nextToken(), environment: "production", isConfirmed: true };
}
