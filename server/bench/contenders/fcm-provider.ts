import { generateKeyPairSync } from "node:crypto";
import { createFcmProvider } from "#providers/fcm/fcm.ts";
import type { Address } from "#providers/provider.ts";
import { keepProviderBusy } from "../keep-provider-busy.ts";
import { nextToken } from "../support/sample-message.ts";
import { startTokenService } from "../support/token-service.ts";
import type { PushService } from "../support/serve-push-service.ts";
import type { ThroughputFigures, MeasurementDurations } from "../measure-throughput.ts";

const CONCURRENCY = 50;

/** Sends one notification to many Android phones through our provider. */
export async function measureRound(
  { origin, ca }: PushService,
  durations: MeasurementDurations,
): Promise<ThroughputFigures> {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
  const provider = createFcmProvider({
    credentials: {
      projectId: "bench",
      clientEmail: "bench@example.org",
      privateKeyId: "1",
      privateKey,
    },
    url: origin,
    tokenUrl: await startTokenService(),
    now: Date.now,
    elapsed: () => performance.now(),
    random: Math.random,
    ca,
  });
  return keepProviderBusy({ provider, nextAddress }, { concurrency: CONCURRENCY, durations });
}

function nextAddress(): Address {
  return { provider: "fcm", kind: "token", token: nextToken() };
}
