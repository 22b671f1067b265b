// Imported first by a process of several test files. Node's runner keeps the hooks of each test until the process ends, and with them
// the servers and databases that they stopped. Every minor garbage collection copies that memory, so finished hooks are released.
import { beforeEach } from "node:test";

/** @typedef {import("node:test").TestContext} TestContext */

let isPatched = false;

beforeEach((test) => {
  if (isPatched) return;
  isPatched = true;
  /** @type {TestContext} */
  const prototype = Object.getPrototypeOf(test);
  /** @type {(this: TestContext, ...args: Parameters<TestContext["after"]>) => void} */
  const after = Reflect.get(prototype, "after");
  /** @type {TestContext["after"]} */
  prototype.after = function (run, options) {
    after.call(this, runOnce(run), options);
  };
});

/**
 * Returns a function that runs another function once and then releases it.
 *
 * @param {Parameters<TestContext["after"]>[0]} [run]
 * @returns {Parameters<TestContext["after"]>[0]}
 */
function runOnce(run) {
  // A function with a callback parameter has a length above 1.
  if (run === undefined || run.length > 1) return run;
  /** @type {typeof run | undefined} */
  let pendingRun = run;
  return (context) => {
    const dueRun = pendingRun;
    pendingRun = undefined;
    // Without a second argument Node waits for the promise.
    return dueRun?.(context, () => {});
  };
}
