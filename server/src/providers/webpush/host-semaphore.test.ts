import assert from "node:assert/strict";
import { test } from "node:test";
import type { Rule } from "./endpoint-policy.ts";
import { HostSemaphore } from "./host-semaphore.ts";
import type { AcquireRequest } from "./host-semaphore.ts";
import { HostLimits } from "./host-limits.ts";
import type { HostRelease } from "./host-limits.ts";

const never = new AbortController().signal;
const DOMAIN: Rule = { name: "*.up.example.org", admits: "hosts of a domain" };
const ANY: Rule = { name: "*", admits: "any host" };

/** A request to a host with a rule of its own. */
function at(host: string, change: Partial<AcquireRequest> = {}): AcquireRequest {
  const rule = { name: host, admits: "one host" } as const;
  return { host, rule, accountId: "ann", isBulk: false, signal: never, onAside() {}, ...change };
}

/** A request to a host of a wider rule, for an account of its own unless the test says otherwise. */
function of(rule: Rule, host: string, change: Partial<AcquireRequest> = {}): AcquireRequest {
  return at(host, { rule, accountId: `owner of ${host}`, ...change });
}

function semaphoreWith({ places = 20, answered = [] as readonly string[] } = {}): HostSemaphore {
  return new HostSemaphore(
    new HostLimits({ limitAt: () => places, hasAnswered: (host) => answered.includes(host) }),
  );
}

/** Begins to acquire for all requests; `entered` grows as they are admitted. */
function acquireAll(semaphore: HostSemaphore, requests: readonly AcquireRequest[]) {
  const entered: HostRelease[] = [];
  const all = requests.map(async (request) => {
    const release = await semaphore.acquire(request);
    if (release !== null) entered.push(release);
    return release;
  });
  return { entered, all };
}

function times(
  count: number,
  request: (index: number) => AcquireRequest,
): readonly AcquireRequest[] {
  return Array.from({ length: count }, (_, index) => request(index));
}

/** Resolves when everything already decided has happened. */
async function settled(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

test("a host has a limit, and each release admits the next request", async () => {
  const semaphore = semaphoreWith();
  const { entered, all } = acquireAll(
    semaphore,
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
  const semaphore = semaphoreWith();
  const slow = acquireAll(
    semaphore,
    times(60, () => at("slow")),
  );
  const other = acquireAll(
    semaphore,
    times(20, () => at("other")),
  );
  await settled();
  assert.equal(slow.entered.length, 20);
  assert.equal(other.entered.length, 20);
});

test("all hosts share a limit of 400, and queued requests pass full hosts in order", async () => {
  const semaphore = semaphoreWith();
  const { entered } = acquireAll(
    semaphore,
    times(420, (index) => at(`host-${index % 21}`)),
  );
  await settled();
  assert.equal(entered.length, 400);
  entered[0]?.();
  await settled();
  assert.equal(entered.length, 401);
});

test("a request for a full host does not block those queued behind it", async () => {
  const semaphore = semaphoreWith({ places: 1 });
  await semaphore.acquire(at("full"));
  const release = await semaphore.acquire(at("other"));
  const behind = acquireAll(semaphore, [at("full"), at("other")]);
  release?.();
  await settled();
  assert.equal(behind.entered.length, 1);
});

test("the hosts of one rule share its limit, however many they are", async () => {
  const hosts = Array.from({ length: 200 }, (_, index) => `h${index}`);
  const semaphore = semaphoreWith({ answered: hosts });
  const [domain, any, vendor] = [
    hosts.map((host) => of(DOMAIN, host)),
    hosts.map((host) => of(ANY, host)),
    times(20, () => at("vendor")),
  ].map((requests) => acquireAll(semaphore, requests));
  await settled();
  assert.deepEqual(
    [domain, any, vendor].map((one) => one?.entered.length),
    [20, 50, 20],
  );
});

test("half of a rule's limit is for hosts that answered recently", async () => {
  const semaphore = semaphoreWith({ answered: ["heard"] });
  const unheard = acquireAll(
    semaphore,
    times(100, (index) => of(DOMAIN, `h${index}`)),
  );
  const heard = acquireAll(
    semaphore,
    times(20, () => of(DOMAIN, "heard")),
  );
  await settled();
  assert.deepEqual([unheard.entered.length, heard.entered.length], [10, 10]);
});

test("a host without an answer gets one request at a time until it answers", async () => {
  const answered: string[] = [];
  const semaphore = semaphoreWith({ answered });
  const { entered } = acquireAll(
    semaphore,
    times(5, () => of(ANY, "new")),
  );
  await settled();
  assert.equal(entered.length, 1);
  answered.push("new");
  entered[0]?.();
  await settled();
  assert.equal(entered.length, 5);
});

test("an account has a small limit for hosts without an answer, and a short queue", async () => {
  const semaphore = semaphoreWith();
  const mine = acquireAll(
    semaphore,
    times(100, (index) => of(ANY, `mine-${index}`, { accountId: "mallory" })),
  );
  await settled();
  assert.equal(mine.entered.length, 4);
  // 32 requests wait; the others were refused at once.
  const told = mine.all.map((one) => Promise.race([one, Promise.resolve("waits")]));
  const ends = await Promise.all(told);
  assert.equal(ends.filter((end) => end === "waits").length, 32);
  const other = acquireAll(semaphore, [
    of(ANY, "another"),
    of(ANY, "mine-0", { accountId: "ann" }),
  ]);
  await settled();
  assert.equal(other.entered.length, 1);
});

test("a request that waits for a host without an answer blocks none behind it", async () => {
  const semaphore = semaphoreWith();
  let aside = 0;
  const onAside = () => (aside += 1);
  acquireAll(
    semaphore,
    times(2, () => of(ANY, "new", { onAside })),
  );
  acquireAll(
    semaphore,
    times(25, () => at("known", { onAside })),
  );
  await settled();
  assert.equal(aside, 1);
});

test("a request cancelled in the queue acquires nothing", async () => {
  for (const request of [at("a"), of(ANY, "a")]) {
    const semaphore = semaphoreWith({ places: 1 });
    const first = await semaphore.acquire(request);
    const controller = new AbortController();
    const waiting = semaphore.acquire({ ...request, signal: controller.signal });
    controller.abort();
    assert.equal(await waiting, null);
    assert.equal(await semaphore.acquire({ ...request, signal: controller.signal }), null);
    first?.();
    assert.ok((await semaphore.acquire(request)) !== null);
  }
});

test("a host that is no longer slowed down fills up again", async () => {
  const pace = { places: 1 };
  const semaphore = new HostSemaphore(
    new HostLimits({ limitAt: () => pace.places, hasAnswered: () => true }),
  );
  const { entered } = acquireAll(
    semaphore,
    times(5, () => at("a")),
  );
  await settled();
  assert.equal(entered.length, 1);
  pace.places = 4;
  entered[0]?.();
  await settled();
  assert.equal(entered.length, 5);
});

test("no more than 1000 may wait for the hosts of one rule, and others still may", async () => {
  const semaphore = semaphoreWith({ places: 1 });
  const { all } = acquireAll(
    semaphore,
    times(1_001, () => at("a")),
  );
  await settled();
  assert.equal(await Promise.race([semaphore.acquire(at("a")), all[1_000]]), null);
  const other = acquireAll(
    semaphore,
    times(2, () => at("b")),
  );
  await settled();
  assert.equal(other.entered.length, 1);
  assert.equal(await Promise.race([other.all[1], Promise.resolve("waits")]), "waits");
});

test("bulk messages leave room to others, and wait behind them", async () => {
  const semaphore = semaphoreWith({ places: 10 });
  const bulk = acquireAll(
    semaphore,
    times(30, () => at("a", { isBulk: true })),
  );
  const others = acquireAll(
    semaphore,
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

test("bulk messages leave room to others of their rule, however many hosts they go to", async () => {
  const hosts = Array.from({ length: 10 }, (_, index) => `host ${index}`);
  const semaphore = semaphoreWith({ places: 12, answered: hosts });
  const stranger = (index: number) => of(ANY, `host ${index % 10}`);
  const bulk = acquireAll(
    semaphore,
    times(60, (index) => ({ ...stranger(index), isBulk: true })),
  );
  const others = acquireAll(semaphore, times(20, stranger));
  await settled();
  assert.deepEqual([bulk.entered.length, others.entered.length], [30, 20]);
});

test("bulk messages are admitted to a host with a limit of one as well", async () => {
  const semaphore = semaphoreWith({ places: 1 });
  assert.ok((await semaphore.acquire(at("a", { isBulk: true }))) !== null);
  assert.ok((await semaphore.acquire(of(ANY, "new", { isBulk: true }))) !== null);
});
