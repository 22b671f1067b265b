import assert from "node:assert/strict";
import test from "node:test";
import { createUnavailableError } from "../../../test/support/database.ts";
import { createRoomContext } from "../../../test/support/context.ts";
import { writeDurably } from "./settle.ts";

test("a write that fails permanently or loses its lease is not retried", async (t) => {
  const context = await createRoomContext(t);
  const { signal } = new AbortController();
  const cases = [
    [new Error("no such table"), signal],
    [createUnavailableError(), AbortSignal.abort()],
  ] as const;
  for (const [error, leaseSignal] of cases) {
    let tries = 0;
    const write = async () => {
      tries += 1;
      throw error;
    };
    await assert.rejects(writeDurably(context, write, leaseSignal), error);
    assert.equal(tries, 1);
  }
});
