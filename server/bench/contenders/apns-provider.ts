import { createPrivateKey } from "node:crypto";
import { createApnsProvider } from "#providers/apns/apns.ts";
import type { Http2Speaker } from "#providers/http2/http2.ts";
import type { Address } from "#providers/provider.ts";
import { keepProviding } from "../keep-providing.ts";
import { nextToken } from "../peers/message.ts";
import { makeApnsSender } from "../peers/sender.ts";
import type { PushService } from "../peers/serving.ts";
import type { Busy, Span } from "../work.ts";

const IN_FLIGHT = 500;

/**
 * Sends one notification to many iPhones through our provider, including payload, deadlines and the classification of
 * answers.
 */
export async function work(
  { origin, ca, speaker }: PushService & { readonly speaker: Http2Speaker },
  span: Span,
): Promise<Busy> {
  const { privateKey, ...sender } = makeApnsSender();
  const provider = createApnsProvider({
    ...sender,
    key: createPrivateKey(privateKey),
    url: origin,
    sandboxUrl: origin,
    http2Client: speaker,
    now: Date.now,
    elapsed: () => performance.now(),
    random: Math.random,
    ca,
  });
  return keepProviding({ provider, nextAddress }, { inFlight: IN_FLIGHT, span });
}

function nextAddress(): Address {
  return { provider: "apns", token: nextToken(), environment: "production", isConfirmed: true };
}
