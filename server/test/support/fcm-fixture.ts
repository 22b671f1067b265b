import type { TestContext } from "node:test";
import { createFcmProvider, type FcmDeps } from "../../src/providers/fcm/fcm.ts";
import { parseServiceAccount } from "../../src/providers/fcm/service-account.ts";
import type { FcmAddress, Message, Outcome } from "../../src/providers/provider.ts";
import { FcmService, type FcmServiceOptions } from "../doubles/fcm/fcm-service.ts";
import type { SimulatedAndroid } from "../doubles/fcm/simulated-android.ts";
import { createPushMessage } from "./push-message.ts";

/** Options of `startFcmFixture`. */
export interface FcmFixtureOptions {
  readonly service?: FcmServiceOptions;
  readonly deps?: Partial<FcmDeps>;
}

/** The signal of a send, and the parts of its message that a test may set. */
export interface SendOptions {
  readonly id?: string;
  readonly signal?: AbortSignal;
  readonly link?: string;
}

const HOUR_MS = 60 * 60 * 1000;
const OPEN_SIGNAL = new AbortController().signal;

/**
 * Starts the FCM double and a provider that sends to it. Both use the real time plus the test's offset, and the
 * provider also adds the test's error.
 */
export async function startFcmFixture(t: TestContext, options: FcmFixtureOptions = {}) {
  // The offset applies to both clocks, the error only to the provider's.
  const clock = { offsetMs: 0, errorMs: 0 };
  const serviceNow = (): number => Date.now() + clock.offsetMs;
  const now = (): number => serviceNow() + clock.errorMs;
  const service = await FcmService.start({ audience: "own", now: serviceNow, ...options.service });
  const deps: FcmDeps = {
    credentials: parseServiceAccount(service.credentials),
    url: service.origin,
    tokenUrl: service.tokenUrl,
    ca: service.ca,
    now,
    elapsed: () => performance.now() + clock.offsetMs,
    random: () => 0.5,
    ...options.deps,
  };
  const provider = createFcmProvider(deps);
  t.after(async () => {
    await service.close();
    await provider.close();
  });
  const send = async (
    address: FcmAddress,
    { signal = OPEN_SIGNAL, ...content }: SendOptions = {},
  ) => provider.send(createMessage(now(), content), address, signal);
  const sendMany = async (phone: SimulatedAndroid, count: number) =>
    Promise.all(
      Array.from({ length: count }, async (_, index) =>
        send(toAddress(phone), { id: `n-${index}` }),
      ),
    );
  return { clock, now, service, deps, provider, send, sendMany };
}

/** Returns the push address of a phone. */
export function toAddress({ token }: SimulatedAndroid): FcmAddress {
  return { provider: "fcm", kind: "token", token };
}

/** Returns the distinct outcomes, each as its kind and reason code, such as `accepted` or `retry suspect`. */
export function listOutcomes(outcomes: readonly Outcome[]): readonly string[] {
  const names = outcomes.map((outcome) =>
    outcome.kind === "accepted" ? outcome.kind : `${outcome.kind} ${outcome.reason.code}`,
  );
  return [...new Set(names)];
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
