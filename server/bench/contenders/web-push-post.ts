import { Agent } from "node:https";
import webpush from "web-push";
import { nextBrowser } from "../peers/browsers.ts";
import { sampleMessage } from "../peers/message.ts";
import { keepBusy, type Busy, type Span } from "../work.ts";

const IN_FLIGHT = 20;

/** The same through `web-push`, with connections that are kept. */
export async function work(
  { origin, ca }: { readonly origin: string; readonly ca: string },
  span: Span,
): Promise<Busy> {
  const vapidDetails = { subject: "mailto:ops@example.org", ...webpush.generateVAPIDKeys() };
  const plaintext = JSON.stringify(sampleMessage());
  const agent = new Agent({ keepAlive: true, maxSockets: IN_FLIGHT, ca });
  const options = {
    vapidDetails,
    TTL: 86_400,
    urgency: "high" as const,
    topic: "01JD4ZK3M1N8Q2R5",
    agent,
  };
  const busy = await keepBusy({ inFlight: IN_FLIGHT, span }, async () => {
    const { keys, index } = nextBrowser();
    const subscription = { endpoint: `${origin}/push/${index}`, keys };
    const { statusCode } = await webpush.sendNotification(subscription, plaintext, options);
    if (statusCode !== 201) throw new Error(`A push was answered with ${statusCode}.`);
  });
  agent.destroy();
  return busy;
}
