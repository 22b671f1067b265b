import { after, type TestContext } from "node:test";
import { Autopush } from "../doubles/autopush.ts";
import { launchFirefox, type TestBrowser } from "./browsers.ts";

const idleFirefoxes: TestBrowser[] = [];
let sharedAutopush: Autopush | null = null;

/** Returns the push service of the lent Firefoxes, without any subscription or message of earlier tests. */
export async function resetSharedAutopush(): Promise<Autopush> {
  if (sharedAutopush === null) sharedAutopush = await Autopush.start();
  else await sharedAutopush.forgetSubscriptions();
  return sharedAutopush;
}

/**
 * Lends a Firefox with an empty profile until the test ends. Tests of a process use it one after another, because its
 * start takes as much of the processor as a short test. An idle Firefox keeps the push service with which it was
 * launched, so all tests pass the one of `resetSharedAutopush`. Chromium is not pooled: starting one takes less time
 * than emptying its profile.
 */
export async function lendFirefox(test: TestContext, autopush: Autopush): Promise<TestBrowser> {
  const firefox = idleFirefoxes.pop() ?? (await launchFirefox({ autopush }));
  test.after(async () => {
    // The state of a browser after a failure is unknown.
    if (test.passed) await takeBack(firefox);
    else await firefox.close();
  });
  return firefox;
}

async function takeBack(firefox: TestBrowser): Promise<void> {
  try {
    await firefox.clearProfile();
  } catch (error) {
    await firefox.close();
    throw error;
  }
  idleFirefoxes.push(firefox);
}

after(async () => {
  for (const firefox of idleFirefoxes.splice(0)) await firefox.close();
  await sharedAutopush?.close();
});
