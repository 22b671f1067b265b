import assert from "node:assert/strict";
import { test } from "node:test";
import type { HostRule } from "./endpoint-policy.ts";
import { HostSemaphore, type AcquireRequest } from "./host-semaphore.ts";
import { HostLimits, type ReleasePermit } from "./host-limits.ts";

const NEVER_ABORTED = new AbortController().signal;
const DOMAIN: HostRule = { name: "*.up.example.org", admits: "hosts of a domain" };
const ANY: HostRule = { name: "*", admits: "any host" };

/** Returns a request to a host that has its own rule. */
function createRequest(host: string, overrides: Partial<AcquireRequest> = {}): AcquireRequest {
  const rule = { name: host, admits: "one host" } as const;
  return {
    host,
    rule,
    accountId: "ann",
    isBulk: false,
    signal: NEVER_ABORTED,
    onLongWait() {},
    ...overrides,
  };
}

/** Returns a request to a host of a wider rule, for a separate account unless the test changes it. */
function createRuleRequest(
  rule: HostRule,
  host: string,
  overrides: Partial<AcquireRequest> = {},
): AcquireRequest {
  return createRequest(host, { rule, accountId: `owner of ${host}`, ...overrides });
}

function createSemaphore({
  limit = 20,
  respondedHosts = [] as readonly string[],
} = {}): HostSemaphore {
  return new HostSemaphore(
    new HostLimits({
      getHostLimit: () => limit,
      hasRespondedRecently: (host) => respondedHosts.includes(host),
    }),
  );
}

/** Starts to acquire permits for all requests; `admitted` collects the permits of the admitted ones. */
function acquireAll(semaphore: HostSemaphore, requests: readonly AcquireRequest[]) {
  const admitted: ReleasePermit[] = [];
  const permits = requests.map(async (request) => {
    const release = await semaphore.acquire(request);
    if (release !== null) admitted.push(release);
    return release;
  });
  return { admitted, permits };
}

function createRequests(
  count: number,
  request: (index: number) => AcquireRequest,
): readonly AcquireRequest[] {
  return Array.from({ length: count }, (_, index) => request(index));
}

/** Resolves when all pending admissions have run. */
async function waitForAdmissions(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

test("a host has a limit, and each release admits the next request", async () => {
  const semaphore = createSemaphore();
  const { admitted, permits } = acquireAll(
    semaphore,
    createRequests(25, () => createRequest("a")),
  );
  await waitForAdmissions();
  assert.equal(admitted.length, 20);
  for (let index = 0; index < 5; index++) {
    admitted[index]?.();
    await waitForAdmissions();
    assert.equal(admitted.length, 21 + index);
  }
  await Promise.all(permits);
});

test("a full host does not delay other hosts", async () => {
  const semaphore = createSemaphore();
  const slowHost = acquireAll(
    semaphore,
    createRequests(60, () => createRequest("slow")),
  );
  const otherHost = acquireAll(
    semaphore,
    createRequests(20, () => createRequest("other")),
  );
  await waitForAdmissions();
  assert.equal(slowHost.admitted.length, 20);
  assert.equal(otherHost.admitted.length, 20);
});

test("all hosts share a limit of 400", async () => {
  const semaphore = createSemaphore();
  const { admitted } = acquireAll(
    semaphore,
    createRequests(420, (index) => createRequest(`host-${index % 21}`)),
  );
  await waitForAdmissions();
  assert.equal(admitted.length, 400);
  admitted[0]?.();
  await waitForAdmissions();
  assert.equal(admitted.length, 401);
});

test("a request for a full host does not block requests queued after it", async () => {
  const semaphore = createSemaphore({ limit: 1 });
  await semaphore.acquire(createRequest("full"));
  const release = await semaphore.acquire(createRequest("other"));
  const laterRequests = acquireAll(semaphore, [createRequest("full"), createRequest("other")]);
  release?.();
  await waitForAdmissions();
  assert.equal(laterRequests.admitted.length, 1);
});

test("all hosts of one rule share its limit", async () => {
  const hosts = Array.from({ length: 200 }, (_, index) => `h${index}`);
  const semaphore = createSemaphore({ respondedHosts: hosts });
  const createForAll = (rule: HostRule) => hosts.map((host) => createRuleRequest(rule, host));
  const domain = acquireAll(semaphore, createForAll(DOMAIN));
  const anyHost = acquireAll(semaphore, createForAll(ANY));
  const vendor = acquireAll(
    semaphore,
    createRequests(20, () => createRequest("vendor")),
  );
  await waitForAdmissions();
  assert.equal(domain.admitted.length, 20);
  assert.equal(anyHost.admitted.length, 50);
  assert.equal(vendor.admitted.length, 20);
});

test("half of a rule's limit is reserved for hosts that responded recently", async () => {
  const semaphore = createSemaphore({ respondedHosts: ["responded"] });
  const unprovenHosts = acquireAll(
    semaphore,
    createRequests(100, (index) => createRuleRequest(DOMAIN, `h${index}`)),
  );
  const provenHost = acquireAll(
    semaphore,
    createRequests(20, () => createRuleRequest(DOMAIN, "responded")),
  );
  await waitForAdmissions();
  assert.deepEqual([unprovenHosts.admitted.length, provenHost.admitted.length], [10, 10]);
});

test("an unproven host gets one request at a time until it responds", async () => {
  const respondedHosts: string[] = [];
  const semaphore = createSemaphore({ respondedHosts });
  const { admitted } = acquireAll(
    semaphore,
    createRequests(5, () => createRuleRequest(ANY, "new")),
  );
  await waitForAdmissions();
  assert.equal(admitted.length, 1);
  respondedHosts.push("new");
  admitted[0]?.();
  await waitForAdmissions();
  assert.equal(admitted.length, 5);
});

test("an account has a small limit and queue for unproven hosts", async () => {
  const semaphore = createSemaphore();
  const malloryRequests = acquireAll(
    semaphore,
    createRequests(100, (index) =>
      createRuleRequest(ANY, `mine-${index}`, { accountId: "mallory" }),
    ),
  );
  await waitForAdmissions();
  assert.equal(malloryRequests.admitted.length, 4);
  // 32 requests wait; the others were refused immediately.
  const states = malloryRequests.permits.map((permit) =>
    Promise.race([permit, Promise.resolve("waits")]),
  );
  const results = await Promise.all(states);
  assert.equal(results.filter((result) => result === "waits").length, 32);
  const otherHost = acquireAll(semaphore, [
    createRuleRequest(ANY, "another"),
    createRuleRequest(ANY, "mine-0", { accountId: "ann" }),
  ]);
  await waitForAdmissions();
  assert.equal(otherHost.admitted.length, 1);
});

test("a request that waits for an unproven host is reported", async () => {
  const semaphore = createSemaphore();
  let longWaitCount = 0;
  const onLongWait = () => (longWaitCount += 1);
  acquireAll(
    semaphore,
    createRequests(2, () => createRuleRequest(ANY, "new", { onLongWait })),
  );
  acquireAll(
    semaphore,
    createRequests(25, () => createRequest("known", { onLongWait })),
  );
  await waitForAdmissions();
  assert.equal(longWaitCount, 1);
});

test("a request cancelled in the queue acquires nothing", async () => {
  for (const request of [createRequest("a"), createRuleRequest(ANY, "a")]) {
    const semaphore = createSemaphore({ limit: 1 });
    const release = await semaphore.acquire(request);
    const controller = new AbortController();
    const waitingRequest = semaphore.acquire({ ...request, signal: controller.signal });
    controller.abort();
    assert.equal(await waitingRequest, null);
    assert.equal(await semaphore.acquire({ ...request, signal: controller.signal }), null);
    release?.();
    assert.ok((await semaphore.acquire(request)) !== null);
  }
});

test("a host gets its full limit back after a slowdown", async () => {
  const pace = { limit: 1 };
  const semaphore = new HostSemaphore(
    new HostLimits({ getHostLimit: () => pace.limit, hasRespondedRecently: () => true }),
  );
  const { admitted } = acquireAll(
    semaphore,
    createRequests(5, () => createRequest("a")),
  );
  await waitForAdmissions();
  assert.equal(admitted.length, 1);
  pace.limit = 4;
  admitted[0]?.();
  await waitForAdmissions();
  assert.equal(admitted.length, 5);
});

test("a rule lets at most 1000 requests wait, and does not affect other rules", async () => {
  const semaphore = createSemaphore({ limit: 1 });
  const { permits } = acquireAll(
    semaphore,
    createRequests(1_001, () => createRequest("a")),
  );
  await waitForAdmissions();
  assert.equal(await Promise.race([semaphore.acquire(createRequest("a")), permits[1_000]]), null);
  const otherHost = acquireAll(
    semaphore,
    createRequests(2, () => createRequest("b")),
  );
  await waitForAdmissions();
  assert.equal(otherHost.admitted.length, 1);
  assert.equal(await Promise.race([otherHost.permits[1], Promise.resolve("waits")]), "waits");
});

test("bulk messages leave capacity for others, and are admitted after them", async () => {
  const semaphore = createSemaphore({ limit: 10 });
  const bulk = acquireAll(
    semaphore,
    createRequests(30, () => createRequest("a", { isBulk: true })),
  );
  const otherRequests = acquireAll(
    semaphore,
    createRequests(6, () => createRequest("a")),
  );
  await waitForAdmissions();
  assert.deepEqual([bulk.admitted.length, otherRequests.admitted.length], [6, 4]);
  bulk.admitted[0]?.();
  bulk.admitted[1]?.();
  await waitForAdmissions();
  assert.deepEqual([bulk.admitted.length, otherRequests.admitted.length], [6, 6]);
  otherRequests.admitted[0]?.();
  otherRequests.admitted[1]?.();
  await waitForAdmissions();
  assert.deepEqual([bulk.admitted.length, otherRequests.admitted.length], [8, 6]);
});

test("bulk messages to many hosts leave capacity for others of their rule", async () => {
  const hosts = Array.from({ length: 10 }, (_, index) => `host ${index}`);
  const semaphore = createSemaphore({ limit: 12, respondedHosts: hosts });
  const createProvenRequest = (index: number) => createRuleRequest(ANY, `host ${index % 10}`);
  const bulk = acquireAll(
    semaphore,
    createRequests(60, (index) => ({ ...createProvenRequest(index), isBulk: true })),
  );
  const otherRequests = acquireAll(semaphore, createRequests(20, createProvenRequest));
  await waitForAdmissions();
  assert.deepEqual([bulk.admitted.length, otherRequests.admitted.length], [30, 20]);
});

test("bulk messages are admitted to a host with a limit of one", async () => {
  const semaphore = createSemaphore({ limit: 1 });
  assert.ok((await semaphore.acquire(createRequest("a", { isBulk: true }))) !== null);
  assert.ok((await semaphore.acquire(createRuleRequest(ANY, "new", { isBulk: true }))) !== null);
});
