import assert from "node:assert/strict";
import { test } from "node:test";
import { AppError } from "#errors.ts";
import { TestClock } from "../../test/support/room.ts";
import { countFailures, createLimit, networkOf } from "./limit.ts";

test("a limit grants its burst, then its rate", () => {
  const clock = new TestClock();
  const limit = createLimit(clock.now, { burst: 3, perHour: 60 });
  for (let count = 0; count < 3; count += 1) limit.take("a");
  assert.throws(() => limit.take("a"), { code: "rate_limited", retryAfterMs: 60_000 });
  limit.take("b");
  clock.advance(59_999);
  assert.throws(() => limit.take("a"), { retryAfterMs: 1 });
  clock.advance(1);
  limit.take("a");
  assert.throws(() => limit.take("a"), { retryAfterMs: 60_000 });
});

test("only failures count, and those under way count as such", async () => {
  const failures = createLimit(new TestClock().now, { burst: 2, perHour: 60 });
  const key = "a";
  for (let count = 0; count < 5; count += 1) {
    assert.equal(await countFailures({ failures, key }, async () => count), count);
  }
  const tries = [1, 2, 3].map(() => countFailures({ failures, key }, fail));
  const reasons = (await Promise.allSettled(tries)).map((result) =>
    result.status === "rejected" ? String(result.reason.message) : "",
  );
  assert.deepEqual(reasons, ["wrong", "wrong", "Too many attempts. Try again later."]);
});

test("what fails because something of ours is down is nobody's failure", async () => {
  const failures = createLimit(new TestClock().now, { burst: 1, perHour: 60 });
  const attempt = () => Promise.reject(new AppError("unavailable", "down"));
  for (let count = 0; count < 3; count += 1) {
    await assert.rejects(countFailures({ failures, key: "a" }, attempt), { code: "unavailable" });
  }
});

test("a limit forgets the oldest keys rather than grow", () => {
  const limit = createLimit(new TestClock().now, { burst: 1, perHour: 60 });
  for (let count = 0; count <= 10_000; count += 1) limit.take(`key ${count}`);
  limit.take("key 0");
  assert.throws(() => limit.take("key 10000"), { code: "rate_limited" });
});

test("an IPv6 network is one caller, an IPv4 address another", () => {
  assert.equal(networkOf("192.0.2.7"), "192.0.2.7");
  assert.equal(networkOf("::ffff:192.0.2.7"), "192.0.2.7");
  assert.equal(networkOf("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2");
  assert.equal(networkOf("2001:db8:1:2::9"), "2001:db8:1:2");
  assert.equal(networkOf("2001:db8::9"), "2001:db8:0:0");
  assert.equal(networkOf("::1"), "0:0:0:0");
  assert.equal(networkOf("fe80::1%eth0"), "fe80:0:0:0");
});

function fail(): Promise<never> {
  return Promise.reject(new Error("wrong"));
}
