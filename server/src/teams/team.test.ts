import assert from "node:assert/strict";
import { test } from "node:test";
import { parseTeamName } from "./team.ts";

test("a team name is sanitised to a single line", () => {
  assert.equal(parseTeamName("  Night\u0000 shift\r\n "), "Night shift");
  assert.equal(parseTeamName("a\u202Egnp.exe"), "a gnp.exe");
  assert.equal(parseTeamName("lone \uD800"), "lone \uFFFD");
  assert.equal(parseTeamName("🚒"), "🚒");
});

test("a team name has a visible character and at most 80 characters", () => {
  assert.equal(parseTeamName("x".repeat(80)).length, 80);
  for (const name of ["", " \t ", "\u0007", "\u200B", "x".repeat(81)]) {
    assert.throws(() => parseTeamName(name), { code: "invalid_field", field: "name" });
  }
});
