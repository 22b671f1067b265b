import type { TestContext } from "node:test";
import { createFcmProvider } from "../../src/providers/fcm/fcm.ts";
import type { FcmDeps } from "../../src/providers/fcm/fcm.ts";
import { parseServiceAccount } from "../../src/providers/fcm/service-account.ts";
import type { FcmAddress, Message, Outcome } from "../../src/providers/provider.ts";
import { FcmService } from "../doubles/fcm/fcm-service.ts";
import type { FcmServiceOptions } from "../doubles/fcm/fcm-service.ts";
import type { SimulatedAndroid } from "../doubles/fcm/simulated-android.ts";
import { createPushMessage } from "./push-message.ts";

/** Options of `startFcmFixture`. */
export interface FcmFixtureOptions {
  readonly service?: FcmServiceOptions;
  readonly settings?: Partial<FcmDeps>;
}

/** Deviations from a message with an id, a sound and a channel. */
export interface SendOptions {
  readonly id?: string;
  readonly signal?: AbortSignal;
  readonly link?: string;
}

const HOUR_MS = 60 * 60 * 1000;
const neverAborted = new AbortController().signal;

/** Starts FCM's double and a provider that sends to it. Both use the real time plus the test's offset. */
export async function startFcmFixture(
  t: TestContext,
  { service: options, settings: overrides }: FcmFixtureOptions = {},
) {
  // The offset applies to both sides, the error only to our clock.
  const clock = { offsetMs: 0, errorMs: 0 };
  const serviceNow = (): number => Date.now() + clock.offsetMs;
  const now = (): number => serviceNow() + clock.errorMs;
  const service = await FcmService.start({ audience: "own", now: serviceNow, ...options });
  const settings: FcmDeps = {
    credentials: parseServiceAccount(service.credentials),
    url: service.origin,
    tokenUrl: service.tokenUrl,
    ca: service.ca,
    now,
    elapsed: () => performance.now() + clock.offsetMs,
    random: () => 0.5,
    ...overrides,
  };
  const provider = createFcmProvider(settings);
  t.after(async () => {
    await service.close();
    await provider.close();
  });
  const send = async (
    address: FcmAddress,
    { signal = neverAborted, ...content }: SendOptions = {},
  ) => provider.send(createMessage(now(), content), address, signal);
  const sendMany = async (phone: SimulatedAndroid, count: number) =>
    Promise.all(
      Array.from({ length: count }, async (_, index) =>
        send(toAddress(phone), { id: `n-${index}` }),
      ),
    );
  return { clock, now, service, settings, provider, send, sendMany };
}

/** Returns the push address of a phone. */
export function toAddress({ token }: SimulatedAndroid): FcmAddress {
  return { provider: "fcm", kind: "token", token };
}

/** Returns the distinct kinds of outcomes, such as `accepted` or `retry suspect`. */
export function listOutcomeKinds(outcomes: readonly Outcome[]): readonly string[] {
  const kinds = outcomes.map((outcome) =>
    outcome.kind === "accepted" ? outcome.kind : `${outcome.kind} ${outcome.reason.code}`,
  );
  return [...new Set(kinds)];
}

function createMessage(now: number, { id, link }: Omit<SendOptions, "signal">): Message {
  return createPushMessage({
    ...(id === undefined ? {} : { notificationId: id }),
    sound: "arcade",
    channel: "alerts",
    link: link ?? null,
    createdAt: now,
    expiresAt: now + HOUR_MS,
  });
}
