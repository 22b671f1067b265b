// A process that runs several test files imports this module first. A resource that a failed test left open would keep the
// process, and with it the whole run, alive for ever. This module ends the process and names the resource.
import { after } from "node:test";

const GRACE_MS = Number(process.env["TOCSIN_TEST_GRACE_MS"] ?? 30_000);

after(() => {
  // The timer is unreferenced: without leftover resources, the process ends before it fires.
  setTimeout(() => {
    const resources = process.getActiveResourcesInfo().join(", ");
    console.error(`Some tests left resources open: ${resources}. The process was ended.`);
    process.exit(1);
  }, GRACE_MS).unref();
});
