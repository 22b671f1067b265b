import { createPrivateKey } from "node:crypto";
import { createApnsProvider } from "#providers/apns/apns.ts";
import type { Address } from "#providers/provider.ts";
import { keepProviding } from "../keep-providing.ts";
import { nextToken } from "../peers/message.ts";
import { makeApnsSender } from "../peers/sender.ts";
import type { PushService } from "../peers/serving.ts";
import type { Busy, Span } from "../work.ts";

const IN_FLIGHT = 500;

/** One notification to many iPhones through our provider: the payload, deadlines and the judgement of answers with it. */
export async function work({ origin, ca }: PushService, span: Span): Promise<Busy> {
  const { privateKey, ...sender } = makeApnsSender();
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
  return keepProviding({ provider, nextAddress }, { inFlight: IN_FLIGHT, span });
}

function nextAddress(): Address {
  return { provider: "apns", token: nextToken(), environment: "production", isConfirmed: true };
}
