import assert from "node:assert/strict";
import test from "node:test";
import { ON_SQLITE } from "../support/database.ts";
import { readSteps } from "../code-path/architecture-diagram.ts";
import { traceNotification } from "../code-path/trace.ts";

// Limits for one notification to one browser in `server/src`. Lower them whenever the path gets shorter.
const FILES_MAX = 104;
// 458 were counted; a timer that fires meanwhile adds up to three.
const FUNCTIONS_MAX = 466;
const COMMITS_MAX = 2;

test(
  "a notification takes the path that ARCHITECTURE.md draws, within its limits",
  ON_SQLITE,
  async (t) => {
    const { files, functions, commits } = await traceNotification(t);
    const figures = `${files.length} files, ${functions.length} functions, ${commits} commits`;
    t.diagnostic(figures);
    const drawnFiles = readSteps().flatMap((step) => step.files);
    assert.deepEqual(
      files,
      drawnFiles,
      "The diagram is out of date. Run npm run code-path -- --write.",
    );
    assert.ok(files.length <= FILES_MAX, figures);
    assert.ok(functions.length <= FUNCTIONS_MAX, figures);
    assert.ok(commits > 0 && commits <= COMMITS_MAX, figures);
  },
);
