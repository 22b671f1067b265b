import assert from "node:assert/strict";
import { test } from "node:test";
import { Arrivals } from "./arrivals.ts";

test("next returns every arrival once and in order, before or after it arrives", async () => {
  const mails = new Arrivals<string>("mails");
  mails.add("a");
  const waits = [mails.next(), mails.next(), mails.next()];
  mails.add("b");
  mails.add("c");
  assert.deepEqual(await Promise.all(waits), ["a", "b", "c"]);
});

test("received waits for a total number and consumes nothing", async () => {
  const mails = new Arrivals<string>("mails");
  const both = mails.received(2);
  mails.add("a");
  mails.add("b");
  assert.deepEqual(await both, ["a", "b"]);
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
