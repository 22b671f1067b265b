import { createHttp2Client } from "#providers/http2/client.ts";
import { NEVER_INDEXED, nextPush } from "../peers/push.ts";
import type { PushService } from "../peers/serve-push-service.ts";
import { keepBusy, type WorkFigures, type Duration } from "../work.ts";

/** The stream limit of the APNs provider. */
const STREAMS = 500;

/** Sends pushes through the providers' HTTP/2 client. */
export async function work(input: PushService, duration: Duration): Promise<WorkFigures> {
  const client = createHttp2Client({
    ...input,
    connectionsMax: 1,
    streamsMax: STREAMS,
    elapsed: () => performance.now(),
    random: Math.random,
  });
  // One signal for all requests, as for one notification to many devices.
  const { signal } = new AbortController();
  const round = await keepBusy({ inFlight: STREAMS, duration }, async () => {
    const exchange = await client.request({ ...nextPush(), neverIndexed: NEVER_INDEXED, signal });
    if (exchange.kind !== "answered" || exchange.answer.status !== 200) {
      throw new Error(`A push was not answered: ${exchange.kind}.`);
    }
  });
  await client.close();
  return round;
}
