import assert from "node:assert/strict";
import { test } from "node:test";
import type { Rule } from "./endpoint-policy.ts";
import { HostSemaphore } from "./host-semaphore.ts";
import type { AcquireRequest } from "./host-semaphore.ts";
import { HostLimits } from "./host-limits.ts";
import type { HostRelease } from "./host-limits.ts";

const neverAborted = new AbortController().signal;
const DOMAIN: Rule = { name: "*.up.example.org", admits: "hosts of a domain" };
const ANY: Rule = { name: "*", admits: "any host" };

/** Returns a request to a host that has its own rule. */
function withOwnRule(host: string, overrides: Partial<AcquireRequest> = {}): AcquireRequest {
  const rule = { name: host, admits: "one host" } as const;
  return {
    host,
    rule,
    accountId: "ann",
    isBulk: false,
    signal: neverAborted,
    onAside() {},
    ...overrides,
  };
}

/** Returns a request to a host of a wider rule, for a separate account unless the test changes it. */
function withRule(
  rule: Rule,
  host: string,
  overrides: Partial<AcquireRequest> = {},
): AcquireRequest {
  return withOwnRule(host, { rule, accountId: `owner of ${host}`, ...overrides });
}

function createSemaphore({ limit = 20, answered = [] as readonly string[] } = {}): HostSemaphore {
  return new HostSemaphore(
    new HostLimits({ limitFor: () => limit, hasAnswered: (host) => answered.includes(host) }),
  );
}

/** Starts to acquire permits for all requests; `admitted` grows as they are admitted. */
function acquireAll(semaphore: HostSemaphore, requests: readonly AcquireRequest[]) {
  const admitted: HostRelease[] = [];
  const all = requests.map(async (request) => {
    const release = await semaphore.acquire(request);
    if (release !== null) admitted.push(release);
    return release;
  });
  return { admitted, all };
}

function repeat(
  count: number,
  request: (index: number) => AcquireRequest,
): readonly AcquireRequest[] {
  return Array.from({ length: count }, (_, index) => request(index));
}

/** Resolves when all pending admissions have run. */
async function settle(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

test("a host has a limit, and each release admits the next request", async () => {
  const semaphore = createSemaphore();
  const { admitted, all } = acquireAll(
    semaphore,
    repeat(25, () => withOwnRule("a")),
  );
  await settle();
  assert.equal(admitted.length, 20);
  for (let index = 0; index < 5; index++) {
    admitted[index]?.();
    await settle();
    assert.equal(admitted.length, 21 + index);
  }
  await Promise.all(all);
});

test("a full host does not delay other hosts", async () => {
  const semaphore = createSemaphore();
  const slowHost = acquireAll(
    semaphore,
    repeat(60, () => withOwnRule("slow")),
  );
  const otherHost = acquireAll(
    semaphore,
    repeat(20, () => withOwnRule("other")),
  );
  await settle();
  assert.equal(slowHost.admitted.length, 20);
  assert.equal(otherHost.admitted.length, 20);
});

test("all hosts share a limit of 400", async () => {
  const semaphore = createSemaphore();
  const { admitted } = acquireAll(
    semaphore,
    repeat(420, (index) => withOwnRule(`host-${index % 21}`)),
  );
  await settle();
  assert.equal(admitted.length, 400);
  admitted[0]?.();
  await settle();
  assert.equal(admitted.length, 401);
});

test("a request for a full host does not block requests queued after it", async () => {
  const semaphore = createSemaphore({ limit: 1 });
  await semaphore.acquire(withOwnRule("full"));
  const release = await semaphore.acquire(withOwnRule("other"));
  const later = acquireAll(semaphore, [withOwnRule("full"), withOwnRule("other")]);
  release?.();
  await settle();
  assert.equal(later.admitted.length, 1);
});

test("all hosts of one rule share its limit", async () => {
  const hosts = Array.from({ length: 200 }, (_, index) => `h${index}`);
  const semaphore = createSemaphore({ answered: hosts });
  const [domain, any, vendor] = [
    hosts.map((host) => withRule(DOMAIN, host)),
    hosts.map((host) => withRule(ANY, host)),
    repeat(20, () => withOwnRule("vendor")),
  ].map((requests) => acquireAll(semaphore, requests));
  await settle();
  assert.deepEqual(
    [domain, any, vendor].map((group) => group?.admitted.length),
    [20, 50, 20],
  );
});

test("half of a rule's limit is reserved for hosts that answered recently", async () => {
  const semaphore = createSemaphore({ answered: ["heard"] });
  const unanswering = acquireAll(
    semaphore,
    repeat(100, (index) => withRule(DOMAIN, `h${index}`)),
  );
  const answering = acquireAll(
    semaphore,
    repeat(20, () => withRule(DOMAIN, "heard")),
  );
  await settle();
  assert.deepEqual([unanswering.admitted.length, answering.admitted.length], [10, 10]);
});

test("a host without an answer gets one request at a time until it answers", async () => {
  const answered: string[] = [];
  const semaphore = createSemaphore({ answered });
  const { admitted } = acquireAll(
    semaphore,
    repeat(5, () => withRule(ANY, "new")),
  );
  await settle();
  assert.equal(admitted.length, 1);
  answered.push("new");
  admitted[0]?.();
  await settle();
  assert.equal(admitted.length, 5);
});

test("an account has a small limit and queue for hosts without an answer", async () => {
  const semaphore = createSemaphore();
  const ofMallory = acquireAll(
    semaphore,
    repeat(100, (index) => withRule(ANY, `mine-${index}`, { accountId: "mallory" })),
  );
  await settle();
  assert.equal(ofMallory.admitted.length, 4);
  // 32 requests wait; the others were refused immediately.
  const states = ofMallory.all.map((permit) => Promise.race([permit, Promise.resolve("waits")]));
  const results = await Promise.all(states);
  assert.equal(results.filter((result) => result === "waits").length, 32);
  const otherHost = acquireAll(semaphore, [
    withRule(ANY, "another"),
    withRule(ANY, "mine-0", { accountId: "ann" }),
  ]);
  await settle();
  assert.equal(otherHost.admitted.length, 1);
});

test("a request that waits for a host without an answer is set aside", async () => {
  const semaphore = createSemaphore();
  let asideCount = 0;
  const onAside = () => (asideCount += 1);
  acquireAll(
    semaphore,
    repeat(2, () => withRule(ANY, "new", { onAside })),
  );
  acquireAll(
    semaphore,
    repeat(25, () => withOwnRule("known", { onAside })),
  );
  await settle();
  assert.equal(asideCount, 1);
});

test("a request cancelled in the queue acquires nothing", async () => {
  for (const request of [withOwnRule("a"), withRule(ANY, "a")]) {
    const semaphore = createSemaphore({ limit: 1 });
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

test("a host gets its full limit back after a slowdown", async () => {
  const pace = { limit: 1 };
  const semaphore = new HostSemaphore(
    new HostLimits({ limitFor: () => pace.limit, hasAnswered: () => true }),
  );
  const { admitted } = acquireAll(
    semaphore,
    repeat(5, () => withOwnRule("a")),
  );
  await settle();
  assert.equal(admitted.length, 1);
  pace.limit = 4;
  admitted[0]?.();
  await settle();
  assert.equal(admitted.length, 5);
});

test("at most 1000 requests wait for one rule, and other rules are unaffected", async () => {
  const semaphore = createSemaphore({ limit: 1 });
  const { all } = acquireAll(
    semaphore,
    repeat(1_001, () => withOwnRule("a")),
  );
  await settle();
  assert.equal(await Promise.race([semaphore.acquire(withOwnRule("a")), all[1_000]]), null);
  const otherHost = acquireAll(
    semaphore,
    repeat(2, () => withOwnRule("b")),
  );
  await settle();
  assert.equal(otherHost.admitted.length, 1);
  assert.equal(await Promise.race([otherHost.all[1], Promise.resolve("waits")]), "waits");
});

test("bulk messages leave capacity for others, and wait after them", async () => {
  const semaphore = createSemaphore({ limit: 10 });
  const bulk = acquireAll(
    semaphore,
    repeat(30, () => withOwnRule("a", { isBulk: true })),
  );
  const others = acquireAll(
    semaphore,
    repeat(6, () => withOwnRule("a")),
  );
  await settle();
  assert.deepEqual([bulk.admitted.length, others.admitted.length], [6, 4]);
  bulk.admitted[0]?.();
  bulk.admitted[1]?.();
  await settle();
  assert.deepEqual([bulk.admitted.length, others.admitted.length], [6, 6]);
  others.admitted[0]?.();
  others.admitted[1]?.();
  await settle();
  assert.deepEqual([bulk.admitted.length, others.admitted.length], [8, 6]);
});

test("bulk messages to many hosts leave capacity for others of their rule", async () => {
  const hosts = Array.from({ length: 10 }, (_, index) => `host ${index}`);
  const semaphore = createSemaphore({ limit: 12, answered: hosts });
  const unlistedRequest = (index: number) => withRule(ANY, `host ${index % 10}`);
  const bulk = acquireAll(
    semaphore,
    repeat(60, (index) => ({ ...unlistedRequest(index), isBulk: true })),
  );
  const others = acquireAll(semaphore, repeat(20, unlistedRequest));
  await settle();
  assert.deepEqual([bulk.admitted.length, others.admitted.length], [30, 20]);
});

test("bulk messages are admitted to a host with a limit of one", async () => {
  const semaphore = createSemaphore({ limit: 1 });
  assert.ok((await semaphore.acquire(withOwnRule("a", { isBulk: true }))) !== null);
  assert.ok((await semaphore.acquire(withRule(ANY, "new", { isBulk: true }))) !== null);
});
