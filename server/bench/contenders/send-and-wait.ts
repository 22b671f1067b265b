import { setTimeout as wait } from "node:timers/promises";
import { computeMedian } from "../report/evaluate.ts";
import { HttpCaller, encodePost } from "../support/http-caller.ts";
import { encodeSend } from "../support/senders.ts";
import type { Round } from "../case.ts";
import type { MeasurementDurations } from "../measure-throughput.ts";

/** Idle time between two sends. */
const PAUSE_MS = 10;
const DEVICE_COUNT = 2;

/** The server, and the push service that its devices use. */
export interface SendAndWaitInput {
  readonly url: string;
  readonly key: string;
  /** The origin of the push service. */
  readonly origin: string;
}

/**
 * Sends to two devices of an idle server and waits for the results, alternating with direct requests to the push
 * service.
 */
export async function measureRound(
  input: SendAndWaitInput,
  durations: MeasurementDurations,
): Promise<Round> {
  const { url, key, origin } = input;
  const [serverCaller, pushServiceCaller] = await Promise.all([
    HttpCaller.connect(url),
    HttpCaller.connect(origin),
  ]);
  const sendRequest = encodeSend(url, { path: "/api/v1/notify", key });
  const pushRequest = encodePost(origin, {
    path: "/push/0",
    headers: {},
    body: { text: "x".repeat(400) },
  });
  const sendTimesMs: number[] = [];
  const pushTimesMs: number[] = [];
  const endsAt = performance.now() + durations.warmUpMs + durations.measuredMs;
  const measuringStartsAt = performance.now() + durations.warmUpMs;
  while (performance.now() < endsAt) {
    const isMeasured = performance.now() >= measuringStartsAt;
    const sendMs = await measureMs(async () => {
      const { status, body } = await serverCaller.request(sendRequest);
      // The overall result, and one for each device.
      const successCount = body.match(/"success":true/g)?.length ?? 0;
      if (status !== 200 || successCount !== 1 + DEVICE_COUNT) throw new Error(`${status} ${body}`);
    });
    const pushMs = await measureMs(async () => {
      if ((await pushServiceCaller.request(pushRequest)).status !== 201)
        throw new Error("The push was not accepted.");
    });
    if (isMeasured) {
      sendTimesMs.push(sendMs);
      pushTimesMs.push(pushMs);
    }
    await wait(PAUSE_MS);
  }
  serverCaller.close();
  pushServiceCaller.close();
  const medianMs = computeMedian(sendTimesMs);
  const providerMs = computeMedian(pushTimesMs);
  return { medianMs, providerMs, overMs: medianMs - providerMs };
}

async function measureMs(run: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await run();
  return performance.now() - startedAt;
}
