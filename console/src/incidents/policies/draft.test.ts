import assert from "node:assert/strict";
import { test } from "node:test";
import type { EscalationPolicy, EscalationTarget } from "@tocsin/sdk";
import {
  addStep,
  countMissingTargets,
  findStepProblems,
  formatTarget,
  toDraftSteps,
  toRequestedSteps,
} from "./draft.ts";

const TARGETS: readonly EscalationTarget[] = [
  { kind: "me" },
  { kind: "group", groupId: "g" },
  { kind: "device", deviceId: "d" },
  { kind: "member", accountId: "m" },
  { kind: "team" },
  { kind: "mail" },
  { kind: "mail", accountId: "m" },
  { kind: "callback" },
];

const REACH = { name: "N", missing: false, deviceCount: 1, personCount: 1, reachesNobody: false };

const POLICY: EscalationPolicy = {
  id: "p",
  teamId: null,
  name: "Nights",
  steps: [
    { afterSeconds: 0, targets: TARGETS.map((target) => ({ ...target, ...REACH })) },
    { afterSeconds: 90, targets: [{ kind: "group", groupId: "gone", ...REACH, missing: true }] },
  ],
  remindAfterSeconds: null,
  createdAt: "",
  updatedAt: "",
};

test("the steps of a policy are saved as they were, without targets that no longer exist", () => {
  const steps = toDraftSteps(POLICY);
  assert.equal(new Set(TARGETS.map(formatTarget)).size, TARGETS.length);
  assert.deepEqual(toRequestedSteps(steps), [
    { afterSeconds: 0, targets: TARGETS },
    { afterSeconds: 90, targets: [] },
  ]);
  assert.deepEqual(findStepProblems(steps), [null, "noTarget"]);
  assert.equal(countMissingTargets(POLICY), 1);
  assert.equal(countMissingTargets(null), 0);
});

test("a new step comes five minutes after the last one, at the latest after a day", () => {
  const [first] = toDraftSteps(null);
  assert.ok(first);
  const steps = addStep(addStep([first]));
  assert.deepEqual(
    steps.map(({ id, afterSeconds }) => [id, afterSeconds]),
    [
      [0, 0],
      [1, 300],
      [2, 600],
    ],
  );
  const late = addStep([{ id: 7, afterSeconds: 86_300, targets: [] }]);
  assert.deepEqual([late[1]?.id, late[1]?.afterSeconds], [8, 86_400]);
});

test("a step that is not later than the one before it has a problem", () => {
  const createStep = (id: number, afterSeconds: number | null) => ({
    id,
    afterSeconds,
    targets: ["me"],
  });
  const steps = [createStep(0, 0), createStep(1, 60), createStep(2, 60), createStep(3, null)];
  assert.deepEqual(findStepProblems(steps), [null, null, "later", "later"]);
});
