import { Agent } from "node:https";
import webpush from "web-push";
import { nextBrowser } from "../support/browsers.ts";
import { createSampleMessage } from "../support/sample-message.ts";
import type { PushService } from "../support/serve-push-service.ts";
import { createWebPushOptions } from "../support/web-push-options.ts";
import {
  measureThroughput,
  type ThroughputFigures,
  type MeasurementDurations,
} from "../measure-throughput.ts";

const CONCURRENCY = 20;

/** Sends the sample notification through `web-push` with keep-alive connections. */
export async function measureRound(
  { origin, ca }: PushService,
  durations: MeasurementDurations,
): Promise<ThroughputFigures> {
  const plaintext = JSON.stringify(createSampleMessage());
  const agent = new Agent({ keepAlive: true, maxSockets: CONCURRENCY, ca });
  const options = { ...createWebPushOptions(), agent };
  const figures = await measureThroughput({ concurrency: CONCURRENCY, durations }, async () => {
    const { keys, index } = nextBrowser();
    const subscription = { endpoint: `${origin}/push/${index}`, keys };
    const { statusCode } = await webpush.sendNotification(subscription, plaintext, options);
    if (statusCode !== 201) throw new Error(`A push was answered with ${statusCode}.`);
  });
  agent.destroy();
  return figures;
}
