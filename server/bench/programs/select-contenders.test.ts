import assert from "node:assert/strict";
import test from "node:test";
import { CASES } from "../cases.ts";
import type { FoundProgram } from "./find-programs.ts";
import { listPrograms, selectContenders } from "./select-contenders.ts";

const NTFY: FoundProgram = { name: "ntfy", path: "/peers/ntfy", version: "2.1.0" };
const GORUSH: FoundProgram = { name: "gorush", path: "/peers/gorush", version: "1.2.0" };

function getCase(name: string) {
  const found = CASES.find((benchCase) => benchCase.name === name);
  assert.ok(found !== undefined);
  return found;
}

test("a case without binaries has only the contenders and bars that every machine can measure", () => {
  for (const benchCase of CASES) {
    const selected = selectContenders(benchCase, { found: [], fixedPushHostProblem: null });
    assert.ok(selected.contenders.length > 0);
    assert.ok(selected.contenders.every(({ program }) => program === undefined));
    const names = new Set(selected.contenders.map(({ name }) => name));
    for (const { contender, baseline } of selected.bars)
      assert.ok(names.has(contender) && (baseline === undefined || names.has(baseline)));
  }
});

test("a binary that was found is measured with its version and its bars", () => {
  const available = { found: [NTFY, GORUSH], fixedPushHostProblem: null };
  const streams = selectContenders(getCase("L2"), available);
  const measured = streams.contenders.find(({ program }) => program !== undefined);
  assert.deepEqual([measured?.name, measured?.version], ["ntfy", "2.1.0"]);
  assert.ok(streams.bars.some(({ contender }) => contender === "ntfy"));
  assert.ok(streams.bars.every(({ contender }) => contender !== "Gotify"));
  assert.deepEqual([...listPrograms(streams, available)], [["ntfy", "/peers/ntfy"]]);
});

test("a server with a fixed push host is measured only without requests where its host cannot be redirected", () => {
  const available = { found: [GORUSH], fixedPushHostProblem: "no root" };
  const phones = selectContenders(getCase("P1"), available);
  assert.deepEqual([...listPrograms(phones, available)], []);
  assert.ok(phones.bars.every(({ baseline }) => baseline !== "gorush"));
  const idle = selectContenders(getCase("I1"), available);
  assert.deepEqual([...listPrograms(idle, available)], [["gorush", "/peers/gorush"]]);
});
