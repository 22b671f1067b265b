import assert from "node:assert/strict";
import { test } from "node:test";
import { Arrivals } from "./arrivals.ts";

test("next hands every arrival out once, in order, whether it came before or after", async () => {
  const mails = new Arrivals<string>("mails");
  mails.add("a");
  const waits = [mails.next(), mails.next(), mails.next()];
  mails.add("b");
  mails.add("c");
  assert.deepEqual(await Promise.all(waits), ["a", "b", "c"]);
});

test("received waits for a number in all and takes nothing away", async () => {
  const mails = new Arrivals<string>("mails");
  const both = mails.received(2);
  mails.add("a");
  mails.add("b");
  assert.deepEqual(await both, ["a", "b"]);
  assert.equal(await mails.next(), "a");
});

test("a wait in vain names what it waited for and costs the next wait nothing", async () => {
  const mails = new Arrivals<string>("mails");
  await assert.rejects(mails.next({ timeoutMs: 5 }), /Waited 5 ms for mails; 0 came in all\./u);
  mails.add("a");
  assert.equal(await mails.next(), "a");
});
