import assert from "node:assert/strict";
import type { PendingDevice } from "#delivery/delivery.ts";
import type { OwnDevice } from "#devices/store/devices.ts";
import type { Ending, FaultRow } from "./fault-row.ts";
import type { FaultStage, World } from "./fault-stage.ts";

/** A kind of phone, for the rows of one provider. */
export interface Kind<Phone> {
  readonly make: (world: World, applicationServerKey: string) => Phone;
  readonly register: (stage: FaultStage, phone: Phone, accountId?: string) => Promise<OwnDevice>;
  /** Requests that named the phone so far, wherever they came in. */
  readonly requestsFor: (world: World, phone: Phone) => number;
  readonly shownOn: (phone: Phone) => number;
  /** The addresses of all phones so far. */
  readonly secretsOf: (world: World) => readonly string[];
}

/** Observations about one row. */
export interface Seen {
  readonly ending: Ending;
  /** Text of the results that people may read. */
  readonly texts: readonly string[];
  readonly firstWaitMs: number | null;
}

/** Rows do not share a time: tokens, doubts and shares of what happened before are over. */
const APART_MS = 2 * 60 * 60 * 1000;
const ROUNDS_MAX = 30;

/** Plays one row through, from the sending of its message to the end of it. */
export async function play<Phone>(
  { stage, kind, well }: Playing<Phone>,
  row: FaultRow<Phone>,
): Promise<Seen> {
  const { world } = stage;
  world.clock.advance(APART_MS);
  const phone = (row.make ?? kind.make)(world, stage.applicationServerKey);
  const device = await kind.register(stage, phone);
  const sendToOthers = async (count: number): Promise<void> => {
    for (let sent = 0; sent < count; sent += 1) await requireAccepted(stage, well);
  };
  const registerAgain = async (): Promise<void> => {
    await kind.register(stage, phone, device.accountId);
  };
  const place = { phone, device, world, stage, sendToOthers, registerAgain };
  await row.arrange?.(place);
  const before = { requests: kind.requestsFor(world, phone), shown: kind.shownOn(phone) };
  const sentAt = world.clock.now();
  const notificationId = await stage.send(device, row.ttlSeconds);
  const waits = await waitOut({
    stage,
    notificationId,
    meanwhile: () => row.meanwhile?.(place),
    between: () => (row.isDown === true ? null : sendToOthers(1)),
  });
  const [result, ...more] = await stage.resultsOf(notificationId);
  assert.deepEqual(more, [], "one result for each device");
  await row.restore?.(place);
  if (stage.held.length > 0) await stage.workAt(world.clock.now() + APART_MS);
  await sendToOthers(1);
  assert.deepEqual(stage.held, [], "nothing is held back any more");
  const ending: Ending = {
    waits: waits.map(({ said }) => said),
    end: `${result?.state} ${result?.code}`,
    isKept: await stage.isKept(device),
    requests: kind.requestsFor(world, phone) - before.requests,
    shown: kind.shownOn(phone) - before.shown,
    attempts: result?.attempts ?? 0,
  };
  const texts = [result?.detail, ...waits.map(({ detail }) => detail)].filter((it) => it != null);
  const first = waits[0];
  return { ending, texts, firstWaitMs: first === undefined ? null : first.runAt - sentAt };
}

export interface Playing<Phone> {
  readonly stage: FaultStage;
  readonly kind: Kind<Phone>;
  /** A device that nothing happens to. */
  readonly well: OwnDevice;
}

interface Wait {
  readonly said: string;
  readonly detail: string | null;
  readonly runAt: number;
}

interface Waiting {
  readonly stage: FaultStage;
  readonly notificationId: string;
  readonly meanwhile: () => unknown;
  readonly between: () => unknown;
}

/** Goes from wait to wait until nothing is owed; others get their messages in between, unless all wait. */
async function waitOut({ stage, notificationId, ...acts }: Waiting): Promise<readonly Wait[]> {
  const waits: Wait[] = [];
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const [pending, ...more] = await stage.pendingOf(notificationId);
    assert.deepEqual(more, [], "one device waits");
    if (pending === undefined) return waits;
    waits.push(waitOf(stage, pending));
    if (round === 0) await acts.meanwhile();
    if (stage.held.length === 0) await acts.between();
    await stage.workAt(pending.runAt);
  }
  throw new Error(`It does not end: ${waits.map(({ said }) => said).join(", ")}.`);
}

function waitOf({ held }: FaultStage, { code, detail, runAt }: PendingDevice): Wait {
  return { said: `${code}${held.length > 0 ? " held" : ""}`, detail, runAt };
}

async function requireAccepted(stage: FaultStage, device: OwnDevice): Promise<void> {
  const notificationId = await stage.send(device);
  const results = await stage.resultsOf(notificationId);
  const states = results.map(({ state }) => state);
  assert.deepEqual(states, ["accepted"], "others are not disturbed");
}
