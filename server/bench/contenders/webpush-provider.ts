import { connect } from "node:tls";
import { generateVapidKeys } from "#providers/webpush/vapid-keys.ts";
import { createWebPushProvider } from "#providers/webpush/webpush.ts";
import { nextBrowser } from "../peers/browsers.ts";
import { sampleMessage } from "../peers/message.ts";
import { keepBusy, type Busy, type Span } from "../work.ts";

const IN_FLIGHT = 20;

/** One notification to many browsers through our provider, answers awaited and judged. */
export async function work(
  { origin, ca }: { readonly origin: string; readonly ca: string },
  span: Span,
): Promise<Busy> {
  const provider = createWebPushProvider({
    vapid: generateVapidKeys(),
    subject: "mailto:ops@example.org",
    baseUrl: "https://tocsin.example.org",
    policy: { mode: "vendors", extraHosts: [], allowOrigins: [origin] },
    now: Date.now,
    connect: ({ hostname, port }, done) => {
      const socket = connect({ host: hostname, port: Number(port), ca }, () => done(null, socket));
      socket.once("error", (error) => done(error, null));
    },
  });
  const message = sampleMessage();
  const { signal } = new AbortController();
  const busy = await keepBusy({ inFlight: IN_FLIGHT, span }, async () => {
    const { keys, index } = nextBrowser();
    const address = { provider: "webpush", endpoint: `${origin}/push/${index}`, keys } as const;
    const outcome = await provider.send(message, address, signal);
    if (outcome.kind !== "accepted") throw new Error(`A push ended as ${JSON.stringify(outcome)}.`);
  });
  await provider.close();
  return busy;
}
