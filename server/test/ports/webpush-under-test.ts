import { generateVapidKeys, parseVapidKeys } from "#secrets/vapid-keys.ts";
import { createWebPushProvider } from "#providers/webpush/webpush.ts";
import type { WebPushAddress } from "#providers/provider.ts";
import { PushService } from "../doubles/push-service.ts";
import type { ScriptedAnswer } from "../doubles/scripted-answer.ts";
import { SimulatedDevice } from "../doubles/simulated-device.ts";
import type { DeviceMessage } from "../doubles/simulated-device.ts";
import { TestClock } from "../support/room.ts";
import type {
  Arrived,
  Asked,
  Phone,
  Plan,
  ProviderUnderTest,
  Scope,
  StartOptions,
} from "./provider-under-test.ts";

/** Starts the provider for browsers before one of their push services. */
export async function startWebPush(
  scope: Scope,
  { peer, ...limits }: StartOptions = {},
): Promise<ProviderUnderTest> {
  const clock = new TestClock();
  const { now, elapsed } = clock;
  const push = await PushService.start({ now });
  const vapid = parseVapidKeys(generateVapidKeys());
  const own = `http://127.0.0.1:${push.port}`;
  const provider = createWebPushProvider({
    vapid,
    contact: async () => "mailto:ops@example.org",
    baseUrl: "https://tocsin.example.org",
    policy: { mode: "vendors", extraHosts: [], allowOrigins: [peer?.origin ?? own] },
    now,
    elapsed,
    ...(peer === undefined ? {} : { ca: peer.ca }),
    ...limits,
  });
  scope.after(async () => {
    await provider.close();
    await push.close();
  });
  return {
    provider,
    clock,
    addPhone: () => phoneOf(new SimulatedDevice(push, vapid.publicKey), peer?.origin ?? own),
    secrets: ["eyJ", vapid.publicKey],
    isGoneByStatus: (status) => status === 410,
    isReconnectPaced: false,
  };
}

function phoneOf(phone: SimulatedDevice, origin: string): Phone {
  const { endpoint, keys } = phone.subscription;
  const { pathname } = new URL(endpoint);
  const address: WebPushAddress = { provider: "webpush", endpoint: `${origin}${pathname}`, keys };
  return {
    address,
    secrets: [pathname.slice(1), keys.p256dh, keys.auth],
    plan: (...plans) => phone.script(...plans.flatMap(scriptsOf)),
    arrived: () => phone.messages.map(arrivedOf),
    shownCount: () => new Set(phone.messages.map(({ text }) => parse(text).tag)).size,
    lastAsked: () => askedOf(phone),
    askedCount: () => phone.judged.length,
    received: (count) => phone.received(count),
    end: () => phone.unsubscribe(),
  };
}

function scriptsOf(plan: Plan): readonly ScriptedAnswer[] {
  switch (plan.kind) {
    case "gone":
      return [{ ...plan, kind: "answer", status: 410 }];
    case "refuse credentials": {
      const body = JSON.stringify({ reason: "BadJwtToken" });
      const refusal = { ...plan, kind: "answer", status: 403, body } as const;
      // Once more with a new token.
      return [refusal, refusal];
    }
    case "answer":
    case "reset":
    case "hang":
      return [plan];
  }
}

/** The payload that a service worker reads (W3C Push API, "declarative push message"). */
interface Declared {
  readonly title: string;
  readonly body: string;
  readonly tag: string;
  readonly data: { readonly link: string | null; readonly truncated?: number };
}

function parse(text: string): Declared {
  const { notification }: { readonly notification: Declared } = JSON.parse(text);
  return notification;
}

function arrivedOf({ text }: DeviceMessage): Arrived {
  const { title, body, data } = parse(text);
  return { title, body, link: data.link, isTruncated: data.truncated === 1 };
}

function askedOf({ judged }: SimulatedDevice): Asked {
  const { topic, ttl } = judged.at(-1)?.headers ?? {};
  return { replacingId: String(topic), lifeSeconds: Number(ttl) };
}
