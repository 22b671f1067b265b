import assert from "node:assert/strict";
import { test } from "node:test";
import { AppError } from "#errors.ts";
import { ON_POSTGRES, ON_SQLITE } from "../../test/support/database.ts";
import { createRoomContext } from "../../test/support/context.ts";
import { countFailures, createAttemptLimit, toNetwork } from "./attempt-limit.ts";

const NAME = "guess";

test("a limit allows its burst per key, then its rate, and one more for an attempt given back", async (t) => {
  const context = await createRoomContext(t);
  const limit = createAttemptLimit(context, { name: NAME, burst: 3, perHour: 60 });
  for (let count = 0; count < 3; count += 1) await limit.take("a");
  await assert.rejects(limit.take("a"), { code: "rate_limited", retryAfterMs: 60_000 });
  await limit.take("b");
  context.clock.advance(59_999);
  await assert.rejects(limit.take("a"), { retryAfterMs: 1 });
  context.clock.advance(1);
  await limit.take("a");
  await assert.rejects(limit.take("a"), { retryAfterMs: 60_000 });
  await limit.giveBack("a");
  await limit.take("a");
});

test("limits with different names are independent", async (t) => {
  const context = await createRoomContext(t);
  for (const name of ["one", "other"]) {
    await createAttemptLimit(context, { name, burst: 1, perHour: 60 }).take("a");
  }
});

test("only failures count, and pending attempts count as failures", async (t) => {
  const limit = createAttemptLimit(await createRoomContext(t), {
    name: NAME,
    burst: 2,
    perHour: 60,
  });
  const key = "a";
  for (let count = 0; count < 5; count += 1) {
    assert.equal(await countFailures({ limit, key }, async () => count), count);
  }
  const attempts = [1, 2, 3].map(() => countFailures({ limit, key }, fail));
  const reasons = (await Promise.allSettled(attempts)).map((result) =>
    result.status === "rejected" ? String(result.reason.message) : "",
  );
  assert.deepEqual(reasons.toSorted(), ["Too many attempts. Try again later.", "wrong", "wrong"]);
});

test("an unavailable server does not count as a failure of the caller", async (t) => {
  const limit = createAttemptLimit(await createRoomContext(t), {
    name: NAME,
    burst: 1,
    perHour: 60,
  });
  const attempt = () => Promise.reject(new AppError("unavailable", "down"));
  for (let count = 0; count < 3; count += 1) {
    await assert.rejects(countFailures({ limit, key: "a" }, attempt), {
      code: "unavailable",
    });
  }
});

test("a limit in memory evicts its oldest keys", ON_SQLITE, async (t) => {
  const limit = createAttemptLimit(await createRoomContext(t), {
    name: NAME,
    burst: 1,
    perHour: 60,
  });
  for (let count = 0; count <= 10_000; count += 1) await limit.take(`key ${count}`);
  await limit.take("key 0");
  await assert.rejects(limit.take("key 10000"), { code: "rate_limited" });
});

test("counters that keys share neither grow in number nor forget an exhausted key", async (t) => {
  const context = await createRoomContext(t);
  const limit = createAttemptLimit(context, { name: NAME, burst: 2, perHour: 60, counterCount: 8 });
  for (let count = 0; count < 2; count += 1) await limit.take("ann");
  const attempts = Array.from({ length: 200 }, (_, index) => limit.take(`other ${index}`));
  const grantedAttempts = (await Promise.allSettled(attempts)).filter(
    ({ status }) => status === "fulfilled",
  );
  // Two attempts for each of the other seven counters.
  assert.equal(grantedAttempts.length, 14);
  await assert.rejects(limit.take("ann"), { code: "rate_limited", retryAfterMs: 60_000 });
  await limit.giveBack("ann");
  await limit.take("ann");
  if (context.database.engine.name === "sqlite") return;
  const rows = await context.database.db.selectFrom("try_limit").select("key").execute();
  assert.equal(rows.length, 8);
});

test(
  "concurrent guesses on many nodes do not exceed the burst, and keys are stored as hashes",
  ON_POSTGRES,
  async (t) => {
    const context = await createRoomContext(t);
    const rate = { name: NAME, burst: 5, perHour: 60 };
    const nodes = [1, 2, 3].map(() => createAttemptLimit(context, rate));
    const guesses = nodes.flatMap((limit) => Array.from({ length: 10 }, () => limit.take("ann")));
    const grantedAttempts = (await Promise.allSettled(guesses)).filter(
      ({ status }) => status === "fulfilled",
    );
    assert.equal(grantedAttempts.length, rate.burst);
    const rows = await context.database.db.selectFrom("try_limit").select("key").execute();
    assert.deepEqual(
      rows.map(({ key }) => key.includes("ann")),
      [false],
    );
  },
);

test("idle counters are deleted", ON_POSTGRES, async (t) => {
  const context = await createRoomContext(t);
  const limit = createAttemptLimit(context, { name: NAME, burst: 1_000, perHour: 3_600_000 });
  await limit.take("long ago");
  context.clock.advance(1_000);
  for (let count = 1; count < 1_000; count += 1) await limit.take("now");
  const rows = await context.database.db.selectFrom("try_limit").select("key").execute();
  assert.equal(rows.length, 1);
});

test("callers are limited per IPv6 /64 network or per IPv4 address", () => {
  assert.equal(toNetwork("192.0.2.7"), "192.0.2.7");
  assert.equal(toNetwork("::ffff:192.0.2.7"), "192.0.2.7");
  assert.equal(toNetwork("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2");
  assert.equal(toNetwork("2001:db8:1:2::9"), "2001:db8:1:2");
  assert.equal(toNetwork("2001:db8::9"), "2001:db8:0:0");
  assert.equal(toNetwork("::1"), "0:0:0:0");
  assert.equal(toNetwork("fe80::1%eth0"), "fe80:0:0:0");
});

function fail(): Promise<never> {
  return Promise.reject(new Error("wrong"));
}
