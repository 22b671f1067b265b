import { Agent } from "node:https";
import webpush from "web-push";
import { nextBrowser } from "../peers/browsers.ts";
import { sampleMessage } from "../peers/message.ts";
import type { PushService } from "../peers/serve-push-service.ts";
import { webPushOptions } from "../peers/web-push-options.ts";
import { keepBusy, type WorkFigures, type Duration } from "../work.ts";

const IN_FLIGHT = 20;

/** Sends the same notification through `web-push` with keep-alive connections. */
export async function work({ origin, ca }: PushService, duration: Duration): Promise<WorkFigures> {
  const plaintext = JSON.stringify(sampleMessage());
  const agent = new Agent({ keepAlive: true, maxSockets: IN_FLIGHT, ca });
  const options = { ...webPushOptions(), agent };
  const busy = await keepBusy({ inFlight: IN_FLIGHT, duration }, async () => {
    const { keys, index } = nextBrowser();
    const subscription = { endpoint: `${origin}/push/${index}`, keys };
    const { statusCode } = await webpush.sendNotification(subscription, plaintext, options);
    if (statusCode !== 201) throw new Error(`A push was answered with ${statusCode}.`);
  });
  agent.destroy();
  return busy;
}
