import assert from "node:assert/strict";
import { test } from "node:test";
import { Arrivals } from "./arrivals.ts";

test("next returns every arrival once and in order, whether it is called before or after the arrival", async () => {
  const mails = new Arrivals<string>("mails");
  mails.add("a");
  const waits = [mails.next(), mails.next(), mails.next()];
  mails.add("b");
  mails.add("c");
  assert.deepEqual(await Promise.all(waits), ["a", "b", "c"]);
});

test("waitForCount waits for a total number and consumes nothing", async () => {
  const mails = new Arrivals<string>("mails");
  const nextTwo = mails.waitForCount(2);
  mails.add("a");
  mails.add("b");
  assert.deepEqual(await nextTwo, ["a", "b"]);
  assert.equal(await mails.next(), "a");
});

test("a timeout names the awaited items and does not affect the next wait", async () => {
  const mails = new Arrivals<string>("mails");
  await assert.rejects(
    mails.next({ timeoutMs: 5 }),
    /Waited 5 ms for mails; 0 arrived in total\./u,
  );
  mails.add("a");
  assert.equal(await mails.next(), "a");
});
