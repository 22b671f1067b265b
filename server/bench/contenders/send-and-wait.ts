import { setTimeout as wait } from "node:timers/promises";
import { median } from "../report/judge.ts";
import { HttpCaller, postOf } from "../peers/http-caller.ts";
import { sendOf } from "../peers/senders.ts";
import type { Round } from "../case.ts";
import type { Span } from "../work.ts";

/** Between two sends the server is idle. */
const PAUSE_MS = 10;
const DEVICES = 2;

export interface SendAndWaitInput {
  readonly url: string;
  readonly key: string;
  /** The push service. */
  readonly origin: string;
}

/**
 * Sends to two devices of an idle server and waits for the results, alternating with direct requests to the push
 * service.
 */
export async function work(input: SendAndWaitInput, span: Span): Promise<Round> {
  const { url, key, origin } = input;
  const [tocsin, service] = await Promise.all([
    HttpCaller.connect(url),
    HttpCaller.connect(origin),
  ]);
  const send = sendOf(url, { path: "/api/v1/notify", key });
  const push = postOf(origin, { path: "/push/0", headers: {}, body: { text: "x".repeat(400) } });
  const [sends, pushes]: [number[], number[]] = [[], []];
  const until = performance.now() + span.warmUpMs + span.countedMs;
  const countsFrom = performance.now() + span.warmUpMs;
  while (performance.now() < until) {
    const counts = performance.now() >= countsFrom;
    const sendMs = await timed(async () => {
      const { status, body } = await tocsin.ask(send);
      const reached = body.split('"success":true').length - 2;
      if (status !== 200 || reached !== DEVICES) throw new Error(`${status} ${body}`);
    });
    const pushMs = await timed(async () => {
      if ((await service.ask(push)).status !== 201) throw new Error("The push was not taken.");
    });
    if (counts) sends.push(sendMs);
    if (counts) pushes.push(pushMs);
    await wait(PAUSE_MS);
  }
  tocsin.close();
  service.close();
  const [medianMs, providerMs] = [median(sends), median(pushes)];
  return { medianMs, providerMs, overMs: medianMs - providerMs };
}

async function timed(run: () => Promise<void>): Promise<number> {
  const since = performance.now();
  await run();
  return performance.now() - since;
}
