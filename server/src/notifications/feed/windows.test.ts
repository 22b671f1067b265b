import assert from "node:assert/strict";
import test from "node:test";
import { windowsOf } from "./windows.ts";

test("a feed covers all notifications to the account, and a team's during each stay", () => {
  assert.deepEqual(
    windowsOf("ann", [
      { teamId: "ops", joinedAt: 10, leftAt: 20 },
      { teamId: "ops", joinedAt: 30, leftAt: null },
    ]),
    [
      { audienceId: "ann", from: null, until: null },
      { audienceId: "ops", from: 10, until: 20 },
      { audienceId: "ops", from: 30, until: null },
    ],
  );
});
