import assert from "node:assert/strict";
import { test } from "node:test";
import { HostPace } from "./host-pace.ts";

/** The limits of concurrent requests to a host, and to a slow one. */
const LIMIT = 20;
const SLOW_LIMIT = 4;

function setUp(startMs: number) {
  const clock = { ms: startMs };
  return { clock, pace: new HostPace(() => clock.ms) };
}

function recordMany(pace: HostPace, host: string, times: number): void {
  for (let count = 0; count < times; count++) pace.recordThrottled(host);
}

test("more than ten throttled responses in a minute slow a host for a minute", () => {
  const { clock, pace } = setUp(1_000_000);
  recordMany(pace, "a.example.org", 10);
  assert.equal(pace.getLimit("a.example.org"), LIMIT);
  recordMany(pace, "a.example.org", 1);
  assert.equal(pace.getLimit("a.example.org"), SLOW_LIMIT);
  assert.equal(pace.getLimit("b.example.org"), LIMIT);
  clock.ms += 59_999;
  assert.equal(pace.getLimit("a.example.org"), SLOW_LIMIT);
  clock.ms += 1;
  assert.equal(pace.getLimit("a.example.org"), LIMIT);
});

test("ten throttled responses in each of two minutes do not slow a host", () => {
  const { clock, pace } = setUp(1_000_000);
  recordMany(pace, "a.example.org", 10);
  clock.ms += 60_000;
  recordMany(pace, "a.example.org", 10);
  assert.equal(pace.getLimit("a.example.org"), LIMIT);
});

test("only the 1000 most recently used hosts are kept", () => {
  const { pace } = setUp(0);
  recordMany(pace, "first.example.org", 11);
  recordMany(pace, "second.example.org", 11);
  assert.equal(pace.getLimit("first.example.org"), SLOW_LIMIT);
  for (let index = 0; index < 999; index++) recordMany(pace, `${index}.example.org`, 1);
  assert.equal(pace.getLimit("first.example.org"), SLOW_LIMIT);
  assert.equal(pace.getLimit("second.example.org"), LIMIT);
});
