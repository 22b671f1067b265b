// Preloaded into processes of the test runner. To find the test of an uncaught error, the runner observes every promise and every
// other asynchronous resource, which takes a seventh of the CPU time of all tests. Without that hook such an error still fails the
// file, and this module prints its stack trace.
import asyncHooks from "node:async_hooks";
import { isMainThread } from "node:worker_threads";

if (isMainThread && process.env["NODE_TEST_CONTEXT"] !== undefined) {
  const { createHook } = asyncHooks;
  const disabledHook = { enable: () => disabledHook, disable: () => disabledHook };
  asyncHooks.createHook = () => disabledHook;
  // The runner takes the function when it is loaded.
  await import("node:test");
  asyncHooks.createHook = createHook;
  process.on("uncaughtExceptionMonitor", printError);
  process.on("unhandledRejection", printError);
}

/** @param {unknown} error */
function printError(error) {
  console.error("Uncaught error:", error);
}
