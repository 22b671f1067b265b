import { connect } from "node:tls";
import { generateVapidKeys } from "#secrets/vapid-keys.ts";
import { createWebPushProvider } from "#providers/webpush/webpush.ts";
import { keepProviding } from "../keep-providing.ts";
import { nextBrowser } from "../peers/browsers.ts";
import { BASE_URL, SUBJECT } from "../peers/sender.ts";
import type { PushService } from "../peers/serving.ts";
import type { Busy, Span } from "../work.ts";

const IN_FLIGHT = 20;

/** Sends one notification to many browsers through our provider, and classifies the answers. */
export async function work({ origin, ca }: PushService, span: Span): Promise<Busy> {
  const provider = createWebPushProvider({
    vapid: generateVapidKeys(),
    contact: async () => SUBJECT,
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
  return keepProviding({ provider, nextAddress }, { inFlight: IN_FLIGHT, span });
}
