import { Client } from "undici";
import { nextPush } from "../peers/push.ts";
import type { PushService } from "../peers/serving.ts";
import { keepBusy, type Busy, type Span } from "../work.ts";

const STREAMS = 500;

/** Sends the same pushes through undici over one connection. */
export async function work({ origin, ca }: PushService, span: Span): Promise<Busy> {
  const client = new Client(origin, {
    allowH2: true,
    connect: { ca },
    maxConcurrentStreams: STREAMS,
    pipelining: STREAMS,
  });
  const busy = await keepBusy({ inFlight: STREAMS, span }, async () => {
    const { path, headers, body } = nextPush();
    const answer = await client.request({ method: "POST", path, headers: { ...headers }, body });
    if (answer.statusCode !== 200)
      throw new Error(`A push was answered with ${answer.statusCode}.`);
    await answer.body.dump();
  });
  await client.close();
  return busy;
}
