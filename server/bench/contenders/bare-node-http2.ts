import { connect, sensitiveHeaders } from "node:http2";
import { once } from "node:events";
import { NEVER_INDEXED, nextPush } from "../peers/push.ts";
import type { PushService } from "../peers/serve-push-service.ts";
import { keepBusy, type WorkFigures, type Duration } from "../work.ts";

const STREAMS = 500;

/** Sends the same pushes through `node:http2` and nothing else. */
export async function work({ origin, ca }: PushService, duration: Duration): Promise<WorkFigures> {
  const session = connect(origin, { ca, settings: { enablePush: false } });
  await once(session, "remoteSettings");
  const round = await keepBusy({ inFlight: STREAMS, duration }, async () => {
    const { path, headers, body } = nextPush();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const stream = session.request({
      ":method": "POST",
      ":path": path,
      ...headers,
      "content-length": String(body.length),
      [sensitiveHeaders]: [...NEVER_INDEXED],
    });
    stream.on("response", ({ ":status": status }) => {
      if (status !== 200) reject(new Error(`A push was answered with ${status}.`));
    });
    stream.on("error", reject);
    stream.on("close", resolve);
    stream.resume();
    stream.end(body);
    await promise;
  });
  session.close();
  return round;
}
