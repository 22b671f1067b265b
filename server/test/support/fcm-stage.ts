import type { TestContext } from "node:test";
import { createFcmProvider } from "../../src/providers/fcm/fcm.ts";
import type { FcmSettings } from "../../src/providers/fcm/fcm.ts";
import { parseServiceAccount } from "../../src/providers/fcm/service-account.ts";
import type { FcmAddress, Message, Outcome } from "../../src/providers/provider.ts";
import { FcmService } from "../doubles/fcm/fcm-service.ts";
import type { FcmServiceOptions } from "../doubles/fcm/fcm-service.ts";
import type { SimulatedAndroid } from "../doubles/fcm/simulated-android.ts";
import { messageWith } from "./push-message.ts";

export interface Staging {
  readonly service?: FcmServiceOptions;
  readonly settings?: Partial<FcmSettings>;
}

export interface Sending {
  readonly id?: string;
  readonly signal?: AbortSignal;
  readonly link?: string;
}

const HOUR_MS = 60 * 60 * 1000;
const never = new AbortController().signal;

/** Returns FCM's double and a provider that speaks to it, both with the real time and what a test adds to it. */
export async function stageFcm(
  t: TestContext,
  { service: options, settings: change }: Staging = {},
) {
  // The first moves the time for all, the second is how wrong our own clock is.
  const clock = { offsetMs: 0, errorMs: 0 };
  const theirNow = (): number => Date.now() + clock.offsetMs;
  const now = (): number => theirNow() + clock.errorMs;
  const service = await FcmService.start({ audience: "own", now: theirNow, ...options });
  const settings: FcmSettings = {
    credentials: parseServiceAccount(service.credentials),
    url: service.origin,
    tokenUrl: service.tokenUrl,
    ca: service.ca,
    now,
    elapsed: () => performance.now() + clock.offsetMs,
    random: () => 0.5,
    ...change,
  };
  const provider = createFcmProvider(settings);
  t.after(async () => {
    await service.close();
    await provider.close();
  });
  const send = async (address: FcmAddress, { signal = never, ...sending }: Sending = {}) =>
    provider.send(messageAt(now(), sending), address, signal);
  const sendMany = async (phone: SimulatedAndroid, count: number) =>
    Promise.all(
      Array.from({ length: count }, async (_, index) => send(tokenOf(phone), { id: `n-${index}` })),
    );
  return { clock, now, service, settings, provider, send, sendMany };
}

/** Returns the address of a phone by its registration token. */
export function tokenOf({ token }: SimulatedAndroid): FcmAddress {
  return { provider: "fcm", kind: "token", token };
}

/** Returns what outcomes came to, each kind once: `accepted`, `retry suspect`. */
export function kindsOf(outcomes: readonly Outcome[]): readonly string[] {
  const kinds = outcomes.map((outcome) =>
    outcome.kind === "accepted" ? outcome.kind : `${outcome.kind} ${outcome.reason.code}`,
  );
  return [...new Set(kinds)];
}

function messageAt(now: number, { id, link }: Omit<Sending, "signal">): Message {
  return messageWith({
    ...(id === undefined ? {} : { notificationId: id }),
    sound: "arcade",
    channel: "alerts",
    link: link ?? null,
    createdAt: now,
    expiresAt: now + HOUR_MS,
  });
}
