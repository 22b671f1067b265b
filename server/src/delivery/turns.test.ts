import assert from "node:assert/strict";
import test from "node:test";
import { Turns } from "./turns.ts";

test("work of one name is done one after the other, in the order of asking, past a failure", async () => {
  const turns = new Turns();
  const first = Promise.withResolvers<void>();
  const log: string[] = [];
  const work = [
    turns.use("phone", async () => {
      log.push("first begins");
      await first.promise;
      log.push("first fails");
      throw new Error("failed");
    }),
    turns.use("phone", async () => log.push("second")),
    turns.use("phone", async () => log.push("third")),
  ];
  await turns.use("laptop", async () => log.push("other"));
  first.resolve();
  const results = await Promise.allSettled(work);
  assert.deepEqual(
    results.map(({ status }) => status),
    ["rejected", "fulfilled", "fulfilled"],
  );
  assert.deepEqual(log, ["first begins", "other", "first fails", "second", "third"]);
});
