import assert from "node:assert/strict";
import { test } from "node:test";
import type { Incident } from "@tocsin/sdk";
import { getTimes, getPossibleActs, sortByUrgency } from "./incident-facts.ts";
import { createIncident } from "./create-incident.fixture.ts";

const NOW = Date.parse("2026-01-01T00:10:30.400Z");

test("times are in whole seconds, an age over a minute in whole minutes, and a past time is 0", () => {
  const incident = createIncident({
    openedAt: "2026-01-01T00:00:00.000Z",
    nextRoundAt: "2026-01-01T00:11:00.000Z",
    nextStepAt: "2026-01-01T00:10:29.000Z",
  });
  assert.deepEqual(getTimes(incident, NOW), {
    openSeconds: 600,
    nextRoundSeconds: 30,
    nextStepSeconds: 0,
  });
});

test("an incident opened in the future is open for a second, and one that does not ring has no next round", () => {
  const incident = createIncident({ openedAt: "2026-01-01T00:11:00.000Z" });
  assert.deepEqual(getTimes(incident, NOW), {
    openSeconds: 1,
    nextRoundSeconds: null,
    nextStepSeconds: null,
  });
});

test("only acts that would change an incident are possible", () => {
  const listActs = (fields: Partial<Incident>) =>
    Object.entries(getPossibleActs(createIncident(fields)))
      .filter(([, isPossible]) => isPossible)
      .map(([act]) => act);
  const nextStepAt = "2026-01-01T00:11:00.000Z";
  assert.deepEqual(listActs({ nextStepAt }), ["acknowledge", "escalate", "resolve", "ringAgain"]);
  assert.deepEqual(listActs({ priority: "high" }), ["acknowledge", "resolve"]);
  assert.deepEqual(listActs({ state: "acknowledged" }), ["resolve", "ringAgain"]);
  assert.deepEqual(listActs({ state: "expired" }), ["acknowledge", "resolve", "ringAgain"]);
  assert.deepEqual(listActs({ state: "resolved" }), []);
});

test("incidents are sorted by state, then by priority, and the oldest of a kind is first", () => {
  const at = (minute: number) => `2026-01-01T00:0${minute}:00.000Z`;
  const incidents = [
    createIncident({ id: "taken", state: "acknowledged", openedAt: at(0) }),
    createIncident({ id: "expired", state: "expired", openedAt: at(1) }),
    createIncident({ id: "high", priority: "high", openedAt: at(2) }),
    createIncident({ id: "newer", openedAt: at(4) }),
    createIncident({ id: "older", openedAt: at(3) }),
  ];
  assert.deepEqual(
    sortByUrgency(incidents).map(({ id }) => id),
    ["older", "newer", "high", "expired", "taken"],
  );
});
