import assert from "node:assert/strict";
import test from "node:test";
import { toFeedWindows } from "./windows.ts";

test("a feed covers all notifications to the account, and a team's during each membership period", () => {
  assert.deepEqual(
    toFeedWindows("ann", [
      { teamId: "ops", joinedAt: 10, leftAt: 20 },
      { teamId: "ops", joinedAt: 30, leftAt: null },
    ]),
    [
      { audienceId: "ann", startsAt: null, endsAt: null },
      { audienceId: "ops", startsAt: 10, endsAt: 20 },
      { audienceId: "ops", startsAt: 30, endsAt: null },
    ],
  );
});
