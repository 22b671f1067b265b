// Imported first by a process of several test files. What a failed test left running would keep it for ever, and with it the
// whole run: it ends, and says what was left.
import { after } from "node:test";

const GRACE_MS = Number(process.env["TOCSIN_TEST_GRACE_MS"] ?? 30_000);

after(() => {
  // A clock that keeps nothing: who left nothing behind has ended long before.
  setTimeout(() => {
    const left = process.getActiveResourcesInfo().join(", ");
    console.error(`Tests of this process left running: ${left}. The process was ended.`);
    process.exit(1);
  }, GRACE_MS).unref();
});
