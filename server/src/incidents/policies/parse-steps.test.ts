import assert from "node:assert/strict";
import { test } from "node:test";
import { LIMITS } from "@tocsin/sdk";
import { parseSteps } from "./parse-steps.ts";
import { parseReminder } from "./policy.ts";

const ME = { kind: "me" };

const createStep = (afterSeconds: unknown, targets: unknown = [ME]) => ({ afterSeconds, targets });

/** Asserts that steps are refused with an error that names the field. */
function assertRefused(steps: unknown, field: string, ownerKind: "account" | "team" = "account") {
  assert.throws(
    () => parseSteps(steps, ownerKind),
    (error) => {
      assert.ok(error instanceof Error && "field" in error && "code" in error);
      assert.deepEqual([error.code, error.field], ["invalid_field", field], error.message);
      // The message names the field as well.
      assert.ok(error.message.includes(field), error.message);
      return true;
    },
  );
}

test("a policy accepts every kind of target that its kind of owner may have", () => {
  const accountTargets = [
    { kind: "group", groupId: "g" },
    { kind: "device", deviceId: "d" },
    ME,
    { kind: "mail" },
    { kind: "callback" },
  ];
  const [accountStep] = parseSteps([createStep(0, accountTargets)], "account");
  assert.deepEqual(accountStep?.targets, [
    { kind: "group", groupId: "g" },
    { kind: "device", deviceId: "d" },
    { kind: "me" },
    { kind: "mail", memberId: null },
    { kind: "callback" },
  ]);
  const teamTargets = [
    { kind: "group", groupId: "g" },
    { kind: "device", deviceId: "d" },
    { kind: "member", accountId: "m" },
    { kind: "team" },
    { kind: "mail", accountId: "m" },
    { kind: "callback" },
  ];
  const [teamStep] = parseSteps([createStep(0, teamTargets)], "team");
  assert.deepEqual(teamStep?.targets, [
    { kind: "group", groupId: "g" },
    { kind: "device", deviceId: "d" },
    { kind: "member", memberId: "m" },
    { kind: "team" },
    { kind: "mail", memberId: "m" },
    { kind: "callback" },
  ]);
});

test("a target that belongs to the other kind of owner is refused", () => {
  for (const kind of ["member", "team"]) {
    assertRefused([createStep(0, [{ kind, accountId: "m" }])], "steps[0].targets[0].kind");
  }
  assertRefused([createStep(0, [ME])], "steps[0].targets[0].kind", "team");
  // A request cannot name the owner of a group: the server finds it.
  const group = { kind: "group", groupId: "g", accountId: "m" };
  assertRefused([createStep(0, [group])], "steps[0].targets[0].accountId", "team");
  const mailToAnyone = { kind: "mail", accountId: "m" };
  assertRefused([createStep(0, [mailToAnyone])], "steps[0].targets[0].accountId");
  assertRefused([createStep(0, [{ kind: "mail" }])], "steps[0].targets[0].accountId", "team");
});

test("the first step is at once, and each further step is later, up to a day", () => {
  const last = LIMITS.escalationSecondsMax;
  const steps = parseSteps([createStep(0), createStep(1), createStep(last)], "account");
  assert.deepEqual(
    steps.map(({ afterSeconds }) => afterSeconds),
    [0, 1, last],
  );
  assertRefused([createStep(1)], "steps[0].afterSeconds");
  assertRefused([createStep(0), createStep(0)], "steps[1].afterSeconds");
  assertRefused([createStep(0), createStep(60), createStep(59)], "steps[2].afterSeconds");
  for (const wrong of [last + 1, -1, 0.5, "60", null, undefined, Number.NaN]) {
    assertRefused([createStep(0), createStep(wrong)], "steps[1].afterSeconds");
  }
});

test("a policy has 1 to 10 steps, and a step 1 to 10 targets", () => {
  const targets = Array.from({ length: 10 }, (_, index) => ({
    kind: "group",
    groupId: `${index}`,
  }));
  const steps = Array.from({ length: 10 }, (_, index) => createStep(index, targets));
  assert.equal(parseSteps(steps, "account").length, 10);
  assertRefused([...steps, createStep(10)], "steps");
  assertRefused([createStep(0, [...targets, ME])], "steps[0].targets");
  for (const wrong of [[], {}, "me", null, undefined]) {
    assertRefused(wrong, "steps");
    assertRefused([{ afterSeconds: 0, targets: wrong }], "steps[0].targets");
  }
});

test("an error names a wrong part by its path", () => {
  assertRefused([null], "steps[0]");
  assertRefused([[]], "steps[0]");
  assertRefused([{ ...createStep(0), name: "x" }], "steps[0].name");
  assertRefused([createStep(0, [ME, "me"])], "steps[0].targets[1]");
  assertRefused([createStep(0, [{ kind: "toString" }])], "steps[0].targets[0].kind");
  assertRefused([createStep(0, [{ ...ME, deviceId: "d" }])], "steps[0].targets[0].deviceId");
  assertRefused([createStep(0, [{ kind: "group" }])], "steps[0].targets[0].groupId");
  for (const wrong of ["", 7, null, "x".repeat(65)]) {
    const target = { kind: "device", deviceId: wrong };
    assertRefused([createStep(0, [target])], "steps[0].targets[0].deviceId");
  }
  assertRefused([createStep(0, [ME, { kind: "callback" }, ME])], "steps[0].targets[2]");
});

test("a reminder comes after five minutes to a week, or never", () => {
  assert.deepEqual([null, 300, 604_800].map(parseReminder), [null, 300, 604_800]);
  for (const wrong of [299, 604_801, 300.5]) {
    assert.throws(() => parseReminder(wrong), { field: "remindAfterSeconds" });
  }
});
