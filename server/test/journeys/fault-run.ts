import assert from "node:assert/strict";
import type { PendingDevice } from "#delivery/delivery.ts";
import type { OwnedDevice } from "#devices/store/devices.ts";
import type { DeliveryEffects, FaultRow } from "./fault-row.ts";
import type { FaultFixture, FaultServices } from "./fault-fixture.ts";

/**
 * Operations on the simulated devices of one provider. A simulated device is a `phone` here, also if it is a browser;
 * `device` is its registration.
 */
export interface PhoneKind<Phone> {
  readonly createPhone: (services: FaultServices, applicationServerKey: string) => Phone;
  readonly register: (
    fixture: FaultFixture,
    phone: Phone,
    accountId?: string,
  ) => Promise<OwnedDevice>;
  /** Counts the requests for the phone so far, in production and sandbox. */
  readonly countRequests: (services: FaultServices, phone: Phone) => number;
  /** Counts the notifications that the phone has shown. */
  readonly countShown: (phone: Phone) => number;
  /** Lists the push tokens or subscription paths of all phones so far. */
  readonly listSecrets: (services: FaultServices) => readonly string[];
}

/** The effects of one row, and the texts and wait that came with them. */
export interface Observation {
  readonly effects: DeliveryEffects;
  /** Details of the result and the waits, which the console shows. */
  readonly texts: readonly string[];
  /** The wait before the second attempt; null if there was none. */
  readonly firstWaitMs: number | null;
}

/** Time between two rows, long enough that tokens, suspicions and failure rates of the previous row expire. */
const ROW_INTERVAL_MS = 2 * 60 * 60 * 1000;
const ROUNDS_MAX = 30;

/**
 * Runs one row: arranges its fault, sends its message, runs all retries, restores the service, and checks that other
 * devices are not affected. Returns the effects.
 */
export async function runRow<Phone>(
  { fixture, kind, healthyDevice }: RowFixture<Phone>,
  row: FaultRow<Phone>,
): Promise<Observation> {
  const { services } = fixture;
  services.clock.advance(ROW_INTERVAL_MS);
  const phone = (row.createPhone ?? kind.createPhone)(services, fixture.applicationServerKey);
  const device = await kind.register(fixture, phone);
  const sendToOthers = async (count: number): Promise<void> => {
    for (let sentCount = 0; sentCount < count; sentCount += 1)
      await sendAndAssertAccepted(fixture, healthyDevice);
  };
  const registerAgain = async (): Promise<void> => {
    await kind.register(fixture, phone, device.accountId);
  };
  const context = { phone, device, services, fixture, sendToOthers, registerAgain };
  await row.arrange?.(context);
  const countsBefore = {
    requestCount: kind.countRequests(services, phone),
    shownCount: kind.countShown(phone),
  };
  const sentAt = services.clock.now();
  const notificationId = await fixture.send(device, row.ttlSeconds);
  const waits = await runRetries({
    fixture,
    notificationId,
    afterFirstAttempt: () => row.afterFirstAttempt?.(context),
    betweenAttempts: () => (row.affectsEveryDevice === true ? null : sendToOthers(1)),
  });
  const [result, ...others] = await fixture.listResults(notificationId);
  assert.deepEqual(others, [], "one result for each device");
  await row.restore?.(context);
  if (fixture.troubledServices.length > 0)
    await fixture.runJobsAt(services.clock.now() + ROW_INTERVAL_MS);
  await sendToOthers(1);
  assert.deepEqual(fixture.troubledServices, [], "no service is held or suspected any more");
  const effects: DeliveryEffects = {
    waitCodes: waits.map(({ code }) => code),
    outcome: `${result?.state} ${result?.code}`,
    isRegistered: await fixture.isRegistered(device),
    requestCount: kind.countRequests(services, phone) - countsBefore.requestCount,
    shownCount: kind.countShown(phone) - countsBefore.shownCount,
    attemptCount: result?.attempts ?? 0,
  };
  const texts = [result?.detail, ...waits.map(({ detail }) => detail)].filter(
    (detail) => detail != null,
  );
  const firstWait = waits[0];
  return {
    effects,
    texts,
    firstWaitMs: firstWait === undefined ? null : firstWait.runAt - sentAt,
  };
}

/** The fixture that all rows of one provider share. */
export interface RowFixture<Phone> {
  readonly fixture: FaultFixture;
  readonly kind: PhoneKind<Phone>;
  /** A device without faults. */
  readonly healthyDevice: OwnedDevice;
}

interface Wait {
  readonly code: string;
  readonly detail: string | null;
  readonly runAt: number;
}

interface RetryLoop {
  readonly fixture: FaultFixture;
  readonly notificationId: string;
  readonly afterFirstAttempt: () => unknown;
  readonly betweenAttempts: () => unknown;
}

/** Runs each retry when it is due until none is pending; sends to other devices in between, unless the service is held. */
async function runRetries({
  fixture,
  notificationId,
  ...steps
}: RetryLoop): Promise<readonly Wait[]> {
  const waits: Wait[] = [];
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const [pendingDevice, ...others] = await fixture.listPending(notificationId);
    assert.deepEqual(others, [], "at most one device is pending");
    if (pendingDevice === undefined) return waits;
    waits.push(createWait(fixture, pendingDevice));
    if (round === 0) await steps.afterFirstAttempt();
    if (fixture.troubledServices.length === 0) await steps.betweenAttempts();
    await fixture.runJobsAt(pendingDevice.runAt);
  }
  throw new Error(`The delivery does not end: ${waits.map(({ code }) => code).join(", ")}.`);
}

function createWait(
  { troubledServices }: FaultFixture,
  { code, detail, runAt }: PendingDevice,
): Wait {
  return { code: `${code}${troubledServices.length > 0 ? " held" : ""}`, detail, runAt };
}

async function sendAndAssertAccepted(fixture: FaultFixture, device: OwnedDevice): Promise<void> {
  const notificationId = await fixture.send(device);
  const results = await fixture.listResults(notificationId);
  const states = results.map(({ state }) => state);
  assert.deepEqual(states, ["accepted"], "other devices are not affected");
}
