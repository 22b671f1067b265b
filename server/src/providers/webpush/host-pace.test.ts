import assert from "node:assert/strict";
import { test } from "node:test";
import { HostPace } from "./host-pace.ts";

function paceAt(startMs: number) {
  const clock = { ms: startMs };
  return { clock, pace: new HostPace(() => clock.ms) };
}

function note(pace: HostPace, host: string, times: number): void {
  for (let count = 0; count < times; count++) pace.note(host);
}

test("more than ten throttled answers in a minute slow a host down for a minute", () => {
  const { clock, pace } = paceAt(1_000_000);
  note(pace, "a.example.org", 10);
  assert.equal(pace.limitAt("a.example.org"), 20);
  note(pace, "a.example.org", 1);
  assert.equal(pace.limitAt("a.example.org"), 4);
  assert.equal(pace.limitAt("b.example.org"), 20);
  clock.ms += 59_999;
  assert.equal(pace.limitAt("a.example.org"), 4);
  clock.ms += 1;
  assert.equal(pace.limitAt("a.example.org"), 20);
});

test("ten in one minute and ten in the next slow no host down", () => {
  const { clock, pace } = paceAt(1_000_000);
  note(pace, "a.example.org", 10);
  clock.ms += 60_000;
  note(pace, "a.example.org", 10);
  assert.equal(pace.limitAt("a.example.org"), 20);
});

test("only so many hosts are remembered, those that are in use", () => {
  const { pace } = paceAt(0);
  note(pace, "first.example.org", 11);
  note(pace, "second.example.org", 11);
  assert.equal(pace.limitAt("first.example.org"), 4);
  for (let index = 0; index < 999; index++) note(pace, `${index}.example.org`, 1);
  assert.equal(pace.limitAt("first.example.org"), 4);
  assert.equal(pace.limitAt("second.example.org"), 20);
});
