// Imported first by a process of several test files. A resource that a failed test left running would keep the process, and with
// it the whole run, alive for ever. This module ends the process and names the resource.
import { after } from "node:test";

const GRACE_MS = Number(process.env["TOCSIN_TEST_GRACE_MS"] ?? 30_000);

after(() => {
  // An unreferenced timer: without leftover resources, the process has ended long before.
  setTimeout(() => {
    const left = process.getActiveResourcesInfo().join(", ");
    console.error(`Tests of this process left running: ${left}. The process was ended.`);
    process.exit(1);
  }, GRACE_MS).unref();
});
