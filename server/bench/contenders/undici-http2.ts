import { Client } from "undici";
import { nextPush } from "../peers/push.ts";
import type { PushService } from "../peers/serve-push-service.ts";
import { keepBusy, type WorkFigures, type Duration } from "../work.ts";

const STREAMS = 500;

/** Sends the same pushes through undici over one connection. */
export async function work({ origin, ca }: PushService, duration: Duration): Promise<WorkFigures> {
  const client = new Client(origin, {
    allowH2: true,
    connect: { ca },
    maxConcurrentStreams: STREAMS,
    pipelining: STREAMS,
  });
  const busy = await keepBusy({ inFlight: STREAMS, duration }, async () => {
    const { path, headers, body } = nextPush();
    const response = await client.request({ method: "POST", path, headers: { ...headers }, body });
    if (response.statusCode !== 200)
      throw new Error(`A push was answered with ${response.statusCode}.`);
    await response.body.dump();
  });
  await client.close();
  return busy;
}
