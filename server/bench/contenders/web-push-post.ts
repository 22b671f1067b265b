import { Agent } from "node:https";
import webpush from "web-push";
import { nextBrowser } from "../peers/browsers.ts";
import { sampleMessage } from "../peers/message.ts";
import type { PushService } from "../peers/serving.ts";
import { webPushOptions } from "../peers/web-push-options.ts";
import { keepBusy, type Busy, type Span } from "../work.ts";

const IN_FLIGHT = 20;

/** Sends the same through `web-push`, with kept connections. */
export async function work({ origin, ca }: PushService, span: Span): Promise<Busy> {
  const plaintext = JSON.stringify(sampleMessage());
  const agent = new Agent({ keepAlive: true, maxSockets: IN_FLIGHT, ca });
  const options = { ...webPushOptions(), agent };
  const busy = await keepBusy({ inFlight: IN_FLIGHT, span }, async () => {
    const { keys, index } = nextBrowser();
    const subscription = { endpoint: `${origin}/push/${index}`, keys };
    const { statusCode } = await webpush.sendNotification(subscription, plaintext, options);
    if (statusCode !== 201) throw new Error(`A push was answered with ${statusCode}.`);
  });
  agent.destroy();
  return busy;
}
