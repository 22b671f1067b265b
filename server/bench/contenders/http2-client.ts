import { createHttp2Client } from "#providers/http2/client.ts";
import { NEVER_INDEXED, nextPush } from "../peers/push.ts";
import type { PushService } from "../peers/serving.ts";
import { keepBusy, type Busy, type Span } from "../work.ts";

/** The same as the connections of the APNs provider. */
const STREAMS = 500;

/** Pushes through the client that the providers use. */
export async function work(input: PushService, span: Span): Promise<Busy> {
  const client = createHttp2Client({
    ...input,
    connectionsMax: 1,
    streamsMax: STREAMS,
    elapsed: () => performance.now(),
    random: Math.random,
  });
  // Shared, as for one notification to many devices.
  const { signal } = new AbortController();
  const round = await keepBusy({ inFlight: STREAMS, span }, async () => {
    const exchange = await client.request({ ...nextPush(), neverIndexed: NEVER_INDEXED, signal });
    if (exchange.kind !== "answered" || exchange.answer.status !== 200) {
      throw new Error(`A push was not answered: ${exchange.kind}.`);
    }
  });
  await client.close();
  return round;
}
