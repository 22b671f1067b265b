import assert from "node:assert/strict";
import type { PendingDevice } from "#delivery/delivery.ts";
import type { OwnDevice } from "#devices/store/devices.ts";
import type { Ending, FaultRow } from "./fault-row.ts";
import type { FaultStage, World } from "./fault-stage.ts";

/** Operations on the phones of one provider. */
export interface PhoneKind<Phone> {
  readonly createPhone: (world: World, applicationServerKey: string) => Phone;
  readonly register: (stage: FaultStage, phone: Phone, accountId?: string) => Promise<OwnDevice>;
  /** Counts the requests for the phone so far, in all environments. */
  readonly countRequests: (world: World, phone: Phone) => number;
  /** Counts the notifications that the phone has shown. */
  readonly countShown: (phone: Phone) => number;
  /** Lists the push tokens or subscription paths of all phones so far. */
  readonly listSecrets: (world: World) => readonly string[];
}

/** Observations about one row. */
export interface Observation {
  readonly ending: Ending;
  /** Result texts that the console shows. */
  readonly texts: readonly string[];
  readonly firstWaitMs: number | null;
}

/** Time between two rows: tokens, suspicions and failure rates of the previous row have expired. */
const ROW_INTERVAL_MS = 2 * 60 * 60 * 1000;
const ROUNDS_MAX = 30;

/** Runs one row, from sending its message to the final result. */
export async function runRow<Phone>(
  { stage, kind, healthyDevice }: Run<Phone>,
  row: FaultRow<Phone>,
): Promise<Observation> {
  const { world } = stage;
  world.clock.advance(ROW_INTERVAL_MS);
  const phone = (row.createPhone ?? kind.createPhone)(world, stage.applicationServerKey);
  const device = await kind.register(stage, phone);
  const sendToOthers = async (count: number): Promise<void> => {
    for (let sent = 0; sent < count; sent += 1) await requireAccepted(stage, healthyDevice);
  };
  const registerAgain = async (): Promise<void> => {
    await kind.register(stage, phone, device.accountId);
  };
  const context = { phone, device, world, stage, sendToOthers, registerAgain };
  await row.arrange?.(context);
  const before = { requests: kind.countRequests(world, phone), shown: kind.countShown(phone) };
  const sentAt = world.clock.now();
  const notificationId = await stage.send(device, row.ttlSeconds);
  const waits = await runRetries({
    stage,
    notificationId,
    afterFirstAttempt: () => row.afterFirstAttempt?.(context),
    betweenAttempts: () => (row.isDown === true ? null : sendToOthers(1)),
  });
  const [result, ...others] = await stage.resultsOf(notificationId);
  assert.deepEqual(others, [], "one result for each device");
  await row.restore?.(context);
  if (stage.held.length > 0) await stage.workAt(world.clock.now() + ROW_INTERVAL_MS);
  await sendToOthers(1);
  assert.deepEqual(stage.held, [], "no service is held any more");
  const ending: Ending = {
    waits: waits.map(({ code }) => code),
    end: `${result?.state} ${result?.code}`,
    isKept: await stage.isKept(device),
    requests: kind.countRequests(world, phone) - before.requests,
    shown: kind.countShown(phone) - before.shown,
    attempts: result?.attempts ?? 0,
  };
  const texts = [result?.detail, ...waits.map(({ detail }) => detail)].filter(
    (detail) => detail != null,
  );
  const firstWait = waits[0];
  return { ending, texts, firstWaitMs: firstWait === undefined ? null : firstWait.runAt - sentAt };
}

/** The fixture that all rows of one provider share. */
export interface Run<Phone> {
  readonly stage: FaultStage;
  readonly kind: PhoneKind<Phone>;
  /** A device without faults. */
  readonly healthyDevice: OwnDevice;
}

interface Wait {
  readonly code: string;
  readonly detail: string | null;
  readonly runAt: number;
}

interface RetryLoop {
  readonly stage: FaultStage;
  readonly notificationId: string;
  readonly afterFirstAttempt: () => unknown;
  readonly betweenAttempts: () => unknown;
}

/** Runs each retry when it is due until none is pending; sends to other devices in between, unless the service is held. */
async function runRetries({
  stage,
  notificationId,
  ...steps
}: RetryLoop): Promise<readonly Wait[]> {
  const waits: Wait[] = [];
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const [pending, ...others] = await stage.pendingOf(notificationId);
    assert.deepEqual(others, [], "at most one device is pending");
    if (pending === undefined) return waits;
    waits.push(toWait(stage, pending));
    if (round === 0) await steps.afterFirstAttempt();
    if (stage.held.length === 0) await steps.betweenAttempts();
    await stage.workAt(pending.runAt);
  }
  throw new Error(`The delivery does not end: ${waits.map(({ code }) => code).join(", ")}.`);
}

function toWait({ held }: FaultStage, { code, detail, runAt }: PendingDevice): Wait {
  return { code: `${code}${held.length > 0 ? " held" : ""}`, detail, runAt };
}

async function requireAccepted(stage: FaultStage, device: OwnDevice): Promise<void> {
  const notificationId = await stage.send(device);
  const results = await stage.resultsOf(notificationId);
  const states = results.map(({ state }) => state);
  assert.deepEqual(states, ["accepted"], "other devices are not affected");
}
