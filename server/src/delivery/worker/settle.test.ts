import assert from "node:assert/strict";
import test from "node:test";
import { createUnavailableError } from "../../../test/support/database.ts";
import { createRoomContext } from "../../../test/support/context.ts";
import { writeDurably } from "./settle.ts";

test("a write that fails permanently, or under a lost lease, is not repeated", async (t) => {
  const context = await createRoomContext(t);
  const { signal } = new AbortController();
  const cases = [
    [new Error("no such table"), signal],
    [createUnavailableError(), AbortSignal.abort()],
  ] as const;
  for (const [error, leaseSignal] of cases) {
    let writes = 0;
    const write = async () => {
      writes += 1;
      throw error;
    };
    await assert.rejects(writeDurably(context, write, leaseSignal), error);
    assert.equal(writes, 1);
  }
});
