import { createPrivateKey } from "node:crypto";
import { createApnsProvider } from "#providers/apns/apns.ts";
import type { Http2Speaker } from "#providers/http2/http2.ts";
import { makeProviderKey } from "../../test/doubles/apns/provider-key.ts";
import { nextToken, sampleMessage } from "../peers/message.ts";
import { keepBusy, type Busy, type Span } from "../work.ts";

const IN_FLIGHT = 500;

/** One notification to many iPhones through our provider: the payload, deadlines and the judgement of answers with it. */
export async function work(
  { origin, ca, speaker }: { origin: string; ca: string; speaker: Http2Speaker },
  span: Span,
): Promise<Busy> {
  const { privateKey, keyId } = makeProviderKey();
  const provider = createApnsProvider({
    key: createPrivateKey(privateKey),
    keyId,
    teamId: "ABCDE12345",
    topic: "org.example.tocsin",
    url: origin,
    sandboxUrl: origin,
    http2Client: speaker,
    now: Date.now,
    random: Math.random,
    ca,
  });
  const message = sampleMessage();
  const { signal } = new AbortController();
  const busy = await keepBusy({ inFlight: IN_FLIGHT, span }, async () => {
    const address = {
      provider: "apns",
      token: nextToken(),
      environment: "production",
      isConfirmed: true,
    } as const;
    const outcome = await provider.send(message, address, signal);
    if (outcome.kind !== "accepted") throw new Error(`A push ended as ${outcome.kind}.`);
  });
  await provider.close();
  return busy;
}
