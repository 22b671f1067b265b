import type { OutgoingHttpHeaders } from "node:http2";
import type { TestContext } from "node:test";
import { ApnsService, type ApnsServiceOptions } from "./apns-service.ts";
import { generateProviderKey, type OwnedProviderKey } from "./provider-key.ts";
import { RawSender, signToken, type RawResponse, type TokenOverrides } from "./raw-sender.ts";
import { SimulatedIphone } from "./simulated-iphone.ts";

/** The id of the sender's team. */
export const TEAM_ID = "TEAM000001";
/** The bundle id of the app on the iPhone. */
export const TOPIC = "org.example.tocsin";
/** The bundle id of another app of the team. */
export const OTHER_TOPIC = "org.example.other";
/** The body of a valid alert push. */
export const ALERT = JSON.stringify({ aps: { alert: { title: "Hello", body: "World" } } });

const NOW_MS = Date.UTC(2027, 0, 1);

/** The test's overrides of a valid push. */
export interface PushOverrides {
  /** Undefined omits a header. */
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string | Buffer;
  /** The provider token; a valid one by default. */
  readonly jwt?: string;
}

/** Starts a service with an iPhone, a key and a stopped clock. */
export async function setUp(t: TestContext, options: Partial<ApnsServiceOptions> = {}) {
  const clock = { nowMs: NOW_MS };
  const key = generateProviderKey();
  const service = await ApnsService.start({
    environment: "production",
    teamId: TEAM_ID,
    keys: [key],
    topics: [TOPIC, OTHER_TOPIC],
    now: () => clock.nowMs,
    ...options,
  });
  t.after(() => service.close());
  const iphone = new SimulatedIphone(service);
  const signJwt = (overrides: TokenOverrides = {}, signingKey: OwnedProviderKey = key): string => {
    const claims = { iss: TEAM_ID, iat: Math.floor(clock.nowMs / 1000) };
    return signToken(signingKey, { claims, ...overrides });
  };
  const connect = async (): Promise<RawSender> => {
    const sender = await RawSender.connect(service);
    t.after(() => sender.close());
    return sender;
  };
  const jwt = signJwt();
  const send = (sender: RawSender, overrides: PushOverrides = {}): Promise<RawResponse> =>
    sender.post(
      {
        ":path": `/3/device/${iphone.token}`,
        authorization: `bearer ${overrides.jwt ?? jwt}`,
        "apns-topic": TOPIC,
        "apns-push-type": "alert",
        ...overrides.headers,
      },
      overrides.body ?? ALERT,
    );
  /** Sends a push on a new connection and returns the status and reason, such as `200` or `400 BadTopic`. */
  const sendForVerdict = async (overrides: PushOverrides): Promise<string> => {
    const sender = await connect();
    const { status, body } = await send(sender, overrides);
    await sender.close();
    return `${status} ${readReason(body)}`.trim();
  };
  return { service, iphone, key, clock, signJwt, connect, send, sendForVerdict };
}

/** Returns the reason in Apple's response, or an empty string. */
export function readReason(body: string): string {
  if (body === "") return "";
  const { reason }: { readonly reason?: unknown } = { ...JSON.parse(body) };
  return String(reason);
}
