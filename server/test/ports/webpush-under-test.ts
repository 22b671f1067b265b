import { generateVapidKeys, parseVapidKeys } from "#secrets/vapid-keys.ts";
import { createWebPushProvider } from "#providers/webpush/webpush.ts";
import type { WebPushAddress } from "#providers/provider.ts";
import { PushService } from "../doubles/push-service.ts";
import type { PushScript } from "../doubles/push-script.ts";
import { SimulatedDevice, type DeviceMessage } from "../doubles/simulated-device.ts";
import { TestClock } from "../support/test-clock.ts";
import type {
  ReceivedMessage,
  ReceivedRequest,
  Phone,
  ProviderScript,
  ProviderUnderTest,
  Scope,
  StartOptions,
} from "./provider-under-test.ts";

/** Starts the Web Push provider with a double of a push service. */
export async function startWebPush(
  scope: Scope,
  { peer, ...limits }: StartOptions = {},
): Promise<ProviderUnderTest> {
  const clock = new TestClock();
  const { now, elapsed } = clock;
  const service = await PushService.start({ now });
  const vapid = parseVapidKeys(generateVapidKeys());
  const ownOrigin = `http://127.0.0.1:${service.port}`;
  const provider = createWebPushProvider({
    vapid,
    findContact: async () => "mailto:ops@example.org",
    baseUrl: "https://tocsin.example.org",
    policy: { mode: "vendors", extraHosts: [], allowOrigins: [peer?.origin ?? ownOrigin] },
    now,
    elapsed,
    ...(peer === undefined ? {} : { ca: peer.ca }),
    ...limits,
  });
  scope.after(async () => {
    await provider.close();
    await service.close();
  });
  return {
    provider,
    clock,
    addPhone: () =>
      createPhone(new SimulatedDevice(service, vapid.publicKey), peer?.origin ?? ownOrigin),
    secrets: ["eyJ", vapid.publicKey],
    statusMeansGone: (status) => status === 410,
    isReconnectPaced: false,
  };
}

function createPhone(phone: SimulatedDevice, origin: string): Phone {
  const { endpoint, keys } = phone.subscription;
  const { pathname } = new URL(endpoint);
  const address: WebPushAddress = { provider: "webpush", endpoint: `${origin}${pathname}`, keys };
  return {
    address,
    secrets: [pathname.slice(1), keys.p256dh, keys.auth],
    script: (...scripts) => phone.script(...scripts.flatMap(toScripts)),
    listReceivedMessages: () => phone.messages.map(toReceivedMessage),
    countShown: () => new Set(phone.messages.map(({ text }) => parsePayload(text).tag)).size,
    getLastRequest: () => toReceivedRequest(phone),
    countRequests: () => phone.requests.length,
    waitForRequests: (count) => phone.waitForRequests(count),
    unregister: () => phone.unsubscribe(),
  };
}

function toScripts(script: ProviderScript): readonly PushScript[] {
  switch (script.kind) {
    case "gone":
      return [{ ...script, kind: "answer", status: 410 }];
    case "refuse credentials": {
      const body = JSON.stringify({ reason: "BadJwtToken" });
      const refusal = { ...script, kind: "answer", status: 403, body } as const;
      // The provider retries with a new token.
      return [refusal, refusal];
    }
    case "answer":
    case "reset-connection":
    case "hang":
      return [script];
  }
}

/** The payload that a service worker reads (W3C Push API, "declarative push message"). */
interface PushPayload {
  readonly title: string;
  readonly body: string;
  readonly tag: string;
  readonly data: { readonly link: string | null; readonly truncated?: number };
}

function parsePayload(text: string): PushPayload {
  const { notification }: { readonly notification: PushPayload } = JSON.parse(text);
  return notification;
}

function toReceivedMessage({ text }: DeviceMessage): ReceivedMessage {
  const { title, body, data } = parsePayload(text);
  return { title, body, link: data.link, isTruncated: data.truncated === 1 };
}

function toReceivedRequest({ requests }: SimulatedDevice): ReceivedRequest {
  const { topic, ttl } = requests.at(-1)?.headers ?? {};
  return { replacementId: String(topic), ttlSeconds: Number(ttl) };
}
