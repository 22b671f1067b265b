import { generateKeyPairSync } from "node:crypto";
import { createFcmProvider } from "#providers/fcm/fcm.ts";
import { nextToken, sampleMessage } from "../peers/message.ts";
import { startTokenService } from "../peers/token-service.ts";
import { keepBusy, type Busy, type Span } from "../work.ts";

const IN_FLIGHT = 50;

/** One notification to many Androids through our provider. */
export async function work(
  { origin, ca }: { readonly origin: string; readonly ca: string },
  span: Span,
): Promise<Busy> {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
  const provider = createFcmProvider({
    credentials: {
      projectId: "bench",
      clientEmail: "bench@example.org",
      privateKeyId: "1",
      privateKey,
    },
    url: origin,
    tokenUrl: await startTokenService(),
    now: Date.now,
    random: Math.random,
    ca,
  });
  const message = sampleMessage();
  const { signal } = new AbortController();
  const busy = await keepBusy({ inFlight: IN_FLIGHT, span }, async () => {
    const address = { provider: "fcm", kind: "token", token: nextToken() } as const;
    const outcome = await provider.send(message, address, signal);
    if (outcome.kind !== "accepted") throw new Error(`A push ended as ${JSON.stringify(outcome)}.`);
  });
  await provider.close();
  return busy;
}
