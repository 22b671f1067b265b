import assert from "node:assert/strict";
import test from "node:test";
import { ON_SQLITE } from "../support/database.ts";
import { drawnSteps } from "../way/page.ts";
import { traceNotification } from "../way/trace.ts";

/** The most that one notification to one browser may enter in `server/src`, and commit. Lower them with each thing that goes. */
const FILES_MAX = 103;
const FUNCTIONS_MAX = 457;
const COMMITS_MAX = 2;

test(
  "a notification goes the way that ARCHITECTURE.md draws, no longer than it was",
  ON_SQLITE,
  async (t) => {
    const { files, functions, commits } = await traceNotification(t);
    const figures = `${files.length} files, ${functions.length} functions, ${commits} commits`;
    t.diagnostic(figures);
    const drawn = drawnSteps().flatMap((step) => step.files);
    assert.deepEqual(files, drawn, "npm run way -- --write draws what was measured.");
    assert.ok(files.length <= FILES_MAX, figures);
    assert.ok(functions.length <= FUNCTIONS_MAX, figures);
    assert.ok(commits > 0 && commits <= COMMITS_MAX, figures);
  },
);
