import type { OutgoingHttpHeaders } from "node:http2";
import type { TestContext } from "node:test";
import { ApnsService } from "./apns-service.ts";
import type { ApnsServiceOptions } from "./apns-service.ts";
import { makeProviderKey } from "./provider-key.ts";
import type { OwnedProviderKey } from "./provider-key.ts";
import { RawSender, signToken } from "./raw-sender.ts";
import type { RawAnswer, TokenParts } from "./raw-sender.ts";
import { SimulatedIphone } from "./simulated-iphone.ts";

export const TEAM = "TEAM000001";
export const TOPIC = "org.example.tocsin";
export const OTHER_TOPIC = "org.example.other";
export const ALERT = JSON.stringify({ aps: { alert: { title: "Hello", body: "World" } } });

const NOW_MS = Date.UTC(2027, 0, 1);

/** One push that is good but for what a test changes. */
export interface Push {
  /** Undefined leaves a header out. */
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string | Buffer;
  readonly token?: string;
}

/** A service, an iPhone, a key and a clock that stands still. */
export async function stage(t: TestContext, options: Partial<ApnsServiceOptions> = {}) {
  const clock = { nowMs: NOW_MS };
  const key = makeProviderKey();
  const service = await ApnsService.start({
    environment: "production",
    teamId: TEAM,
    keys: [key],
    topics: [TOPIC, OTHER_TOPIC],
    now: () => clock.nowMs,
    ...options,
  });
  t.after(() => service.close());
  const iphone = new SimulatedIphone(service);
  const jwt = (parts: TokenParts = {}, of: OwnedProviderKey = key): string => {
    const claims = { iss: TEAM, iat: Math.floor(clock.nowMs / 1000) };
    return signToken(of, { claims, ...parts });
  };
  const connect = async (): Promise<RawSender> => {
    const sender = await RawSender.connect(service);
    t.after(() => sender.close());
    return sender;
  };
  const token = jwt();
  const send = (sender: RawSender, push: Push = {}): Promise<RawAnswer> =>
    sender.post(
      {
        ":path": `/3/device/${iphone.token}`,
        authorization: `bearer ${push.token ?? token}`,
        "apns-topic": TOPIC,
        "apns-push-type": "alert",
        ...push.headers,
      },
      push.body ?? ALERT,
    );
  /** Sends one push on a fresh connection and returns what a person reads: `200`, `400 BadTopic`. */
  const verdictOf = async (push: Push): Promise<string> => {
    const sender = await connect();
    const { status, body } = await send(sender, push);
    await sender.close();
    return `${status} ${reasonOf(body)}`.trim();
  };
  return { service, iphone, key, clock, jwt, connect, send, verdictOf };
}

/** Returns the reason in Apple's answer, or nothing where there is none. */
export function reasonOf(body: string): string {
  if (body === "") return "";
  const { reason }: { readonly reason?: unknown } = { ...JSON.parse(body) };
  return String(reason);
}
