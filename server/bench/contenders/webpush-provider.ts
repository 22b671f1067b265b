import { connect } from "node:tls";
import { generateVapidKeys } from "#secrets/vapid-keys.ts";
import { createWebPushProvider } from "#providers/webpush/webpush.ts";
import { keepProviderBusy } from "../keep-provider-busy.ts";
import { nextBrowser } from "../support/browsers.ts";
import { BASE_URL, SUBJECT } from "../support/sender-credentials.ts";
import type { PushService } from "../support/serve-push-service.ts";
import type { ThroughputFigures, MeasurementDurations } from "../measure-throughput.ts";

const CONCURRENCY = 20;

/** Sends one notification to many browsers through our provider, and classifies the responses. */
export async function measureRound(
  { origin, ca }: PushService,
  durations: MeasurementDurations,
): Promise<ThroughputFigures> {
  const provider = createWebPushProvider({
    vapid: generateVapidKeys(),
    findContact: async () => SUBJECT,
    baseUrl: BASE_URL,
    policy: { mode: "vendors", extraHosts: [], allowOrigins: [origin] },
    now: Date.now,
    elapsed: () => performance.now(),
    connect: ({ hostname, port }, done) => {
      const socket = connect({ host: hostname, port: Number(port), ca }, () => done(null, socket));
      socket.once("error", (error) => done(error, null));
    },
  });
  const nextAddress = () => {
    const { keys, index } = nextBrowser();
    return { provider: "webpush", endpoint: `${origin}/push/${index}`, keys } as const;
  };
  return keepProviderBusy({ provider, nextAddress }, { concurrency: CONCURRENCY, durations });
}
