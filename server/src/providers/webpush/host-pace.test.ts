import assert from "node:assert/strict";
import { test } from "node:test";
import { HostPace } from "./host-pace.ts";

function setUp(startMs: number) {
  const clock = { ms: startMs };
  return { clock, pace: new HostPace(() => clock.ms) };
}

function note(pace: HostPace, host: string, times: number): void {
  for (let count = 0; count < times; count++) pace.note(host);
}

test("more than ten throttled answers in a minute slow a host for a minute", () => {
  const { clock, pace } = setUp(1_000_000);
  note(pace, "a.example.org", 10);
  assert.equal(pace.limitFor("a.example.org"), 20);
  note(pace, "a.example.org", 1);
  assert.equal(pace.limitFor("a.example.org"), 4);
  assert.equal(pace.limitFor("b.example.org"), 20);
  clock.ms += 59_999;
  assert.equal(pace.limitFor("a.example.org"), 4);
  clock.ms += 1;
  assert.equal(pace.limitFor("a.example.org"), 20);
});

test("ten throttled answers in each of two minutes do not slow a host", () => {
  const { clock, pace } = setUp(1_000_000);
  note(pace, "a.example.org", 10);
  clock.ms += 60_000;
  note(pace, "a.example.org", 10);
  assert.equal(pace.limitFor("a.example.org"), 20);
});

test("only the 1000 most recently used hosts are kept", () => {
  const { pace } = setUp(0);
  note(pace, "first.example.org", 11);
  note(pace, "second.example.org", 11);
  assert.equal(pace.limitFor("first.example.org"), 4);
  for (let index = 0; index < 999; index++) note(pace, `${index}.example.org`, 1);
  assert.equal(pace.limitFor("first.example.org"), 4);
  assert.equal(pace.limitFor("second.example.org"), 20);
});
