import assert from "node:assert/strict";
import { test } from "node:test";
import { Lanes } from "./lanes.ts";
import type { LaneRequest, Leave } from "./lanes.ts";

const never = new AbortController().signal;

function at(host: string, change: Partial<LaneRequest> = {}): LaneRequest {
  return { host, isStranger: false, isBulk: false, signal: never, ...change };
}

/** Enters so many times; `entered` grows as places are given. */
function crowd(lanes: Lanes, requests: readonly LaneRequest[]) {
  const entered: Leave[] = [];
  const all = requests.map(async (request) => {
    const leave = await lanes.enter(request);
    if (leave !== null) entered.push(leave);
    return leave;
  });
  return { entered, all };
}

function times(count: number, request: (index: number) => LaneRequest): readonly LaneRequest[] {
  return Array.from({ length: count }, (_, index) => request(index));
}

/** Lets everything that is already decided happen. */
async function settled(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

test("one host has so many places, and each one left is taken by the next", async () => {
  const lanes = new Lanes(() => 20);
  const { entered, all } = crowd(
    lanes,
    times(25, () => at("a")),
  );
  await settled();
  assert.equal(entered.length, 20);
  for (let index = 0; index < 5; index++) {
    entered[index]?.();
    await settled();
    assert.equal(entered.length, 21 + index);
  }
  await Promise.all(all);
});

test("a full host does not hold back the others", async () => {
  const lanes = new Lanes(() => 20);
  const slow = crowd(
    lanes,
    times(60, () => at("slow")),
  );
  const other = crowd(
    lanes,
    times(20, () => at("other")),
  );
  await settled();
  assert.equal(slow.entered.length, 20);
  assert.equal(other.entered.length, 20);
});

test("all hosts together have 100 places, and waiting ones go in order past full hosts", async () => {
  const lanes = new Lanes(() => 20);
  const { entered } = crowd(
    lanes,
    times(120, (index) => at(`host-${index % 6}`)),
  );
  await settled();
  assert.equal(entered.length, 100);
  entered[0]?.();
  await settled();
  assert.equal(entered.length, 101);
});

test("who waits for a full host does not stand in the way of who waits behind", async () => {
  const lanes = new Lanes(() => 1);
  await lanes.enter(at("full"));
  const leave = await lanes.enter(at("other"));
  const behind = crowd(lanes, [at("full"), at("other")]);
  leave?.();
  await settled();
  assert.equal(behind.entered.length, 1);
});

test("strangers share half of the places, however many hosts they have", async () => {
  const lanes = new Lanes(() => 20);
  const strangers = crowd(
    lanes,
    times(80, (index) => at(`s-${index}`, { isStranger: true })),
  );
  const vendors = crowd(
    lanes,
    times(20, () => at("vendor")),
  );
  await settled();
  assert.equal(strangers.entered.length, 50);
  assert.equal(vendors.entered.length, 20);
  strangers.entered[0]?.();
  await settled();
  assert.equal(strangers.entered.length, 51);
});

test("who gives up while waiting gets no place and takes none", async () => {
  const lanes = new Lanes(() => 1);
  const first = await lanes.enter(at("a"));
  const controller = new AbortController();
  const waiting = lanes.enter(at("a", { signal: controller.signal }));
  controller.abort();
  assert.equal(await waiting, null);
  assert.equal(await lanes.enter(at("a", { signal: controller.signal })), null);
  first?.();
  assert.ok((await lanes.enter(at("a"))) !== null);
});

test("a host that is no longer slowed down fills up again", async () => {
  const pace = { places: 1 };
  const lanes = new Lanes(() => pace.places);
  const { entered } = crowd(
    lanes,
    times(5, () => at("a")),
  );
  await settled();
  assert.equal(entered.length, 1);
  pace.places = 4;
  entered[0]?.();
  await settled();
  assert.equal(entered.length, 5);
});

test("no more than 5000 may wait", async () => {
  const lanes = new Lanes(() => 1);
  const { all } = crowd(
    lanes,
    times(5_001, () => at("a")),
  );
  await settled();
  assert.equal(await Promise.race([lanes.enter(at("a")), all[5_000]]), null);
});

test("messages to very many leave places to others, and wait behind them", async () => {
  const lanes = new Lanes(() => 10);
  const bulk = crowd(
    lanes,
    times(30, () => at("a", { isBulk: true })),
  );
  const others = crowd(
    lanes,
    times(6, () => at("a")),
  );
  await settled();
  assert.deepEqual([bulk.entered.length, others.entered.length], [6, 4]);
  bulk.entered[0]?.();
  bulk.entered[1]?.();
  await settled();
  assert.deepEqual([bulk.entered.length, others.entered.length], [6, 6]);
  others.entered[0]?.();
  others.entered[1]?.();
  await settled();
  assert.deepEqual([bulk.entered.length, others.entered.length], [8, 6]);
});

test("messages to very many leave places to others among strangers, however many hosts they go to", async () => {
  const lanes = new Lanes(() => 12);
  const stranger = (index: number) => at(`host ${index % 10}`, { isStranger: true });
  const bulk = crowd(
    lanes,
    times(60, (index) => ({ ...stranger(index), isBulk: true })),
  );
  const others = crowd(lanes, times(20, stranger));
  await settled();
  assert.deepEqual([bulk.entered.length, others.entered.length], [30, 20]);
});

test("where a host has one place, messages to very many go as well", async () => {
  const lanes = new Lanes(() => 1);
  assert.ok((await lanes.enter(at("a", { isBulk: true }))) !== null);
});
