import assert from "node:assert/strict";
import { test } from "node:test";
import { readPushoverMessage } from "./message.ts";

const PLAIN = {
  text: "42 GB",
  title: "",
  url: "",
  priority: 0,
  rounds: null,
  ttl: null,
  isHtml: false,
};

function read(fields: Readonly<Record<string, unknown>>) {
  return readPushoverMessage((name) => fields[name]);
}

test("numbers and flags are read from JSON and from text", () => {
  assert.deepEqual(read({ message: "42 GB" }), PLAIN);
  const rounds = { retry: 30, expire: 3_600 };
  const expected = { ...PLAIN, priority: 2, ttl: 60, isHtml: true, rounds };
  const numbers = { message: "42 GB", priority: 2, retry: 30, expire: 3_600, ttl: 60, html: 1 };
  assert.deepEqual(read(numbers), expected);
  const texts = Object.entries(numbers).map(([name, value]) => [name, String(value)]);
  assert.deepEqual(read(Object.fromEntries(texts)), expected);
  for (const html of ["0", "False", 0, false, ""]) {
    assert.equal(read({ message: "m", html }).isHtml, false);
  }
});

test("only priority 2 has rounds, so that their parameters do not matter for others", () => {
  assert.equal(read({ message: "m", priority: "1", retry: "0", expire: "x" }).rounds, null);
});

test("an invalid parameter is named in Pushover's words", () => {
  for (const [fields, parameter, problem] of [
    [{}, "message", "cannot be blank"],
    [{ message: " \n" }, "message", "cannot be blank"],
    [{ message: {} }, "message", "must be a text"],
    [{ message: "m", priority: "high" }, "priority", "must be a whole number"],
    [{ message: "m", priority: 1.5 }, "priority", "must be a whole number"],
    [{ message: "m", priority: 3 }, "priority", "must be from -2 to 2"],
    [{ message: "m", priority: -3 }, "priority", "must be from -2 to 2"],
    [{ message: "m", priority: 2 }, "retry", "must be supplied with priority=2"],
    [{ message: "m", priority: 2, retry: 29, expire: 60 }, "retry", "must be at least 30 seconds"],
    [{ message: "m", priority: 2, retry: 30 }, "expire", "must be supplied with priority=2"],
    [{ message: "m", priority: 2, retry: 30, expire: 0 }, "expire", "must be at least 1 second"],
    [{ message: "m", encrypted: 1 }, "encrypted", "is not supported"],
  ] as const) {
    assert.throws(() => read(fields), { name: "PushoverError", parameter, problem });
  }
});
