import assert from "node:assert/strict";
import test from "node:test";
import { PATHS } from "../../../console/src/paths.ts";
import type { ConsolePage } from "../support/console-page.ts";
import {
  setUpServer,
  startConsoleFixture,
  type ConsoleFixture,
} from "../support/console-fixture.ts";
import { fillAccount, type FilledAccount } from "../support/fill-account.ts";
import { PUSH_BROWSERS } from "../support/push-browsers.ts";
import { findLayoutFaults } from "../support/layout-faults.ts";

/** Widths in pixels of the smallest phone, a usual phone, and a 1,280-pixel desktop zoomed to 200 %. */
const WIDTHS = [320, 390, 640] as const;
const HEIGHT = 844;

for (const [browserName, startBrowsers] of Object.entries(PUSH_BROWSERS)) {
  test(`${browserName}: no console page is wider than its screen, and its navigation stays visible`, async (t) => {
    const browsers = await startBrowsers(t);
    const fixture = await startConsoleFixture(t, browsers);
    const ann = await setUpServer(fixture, browsers);
    const ids = await fillAccount(fixture, ann);
    // Signed-out pages have no navigation, so they are checked separately, last.
    const signedInFaults = await findFaults(ann.page, { fixture, ids, hasNavigation: true });
    assert.deepEqual(signedInFaults, []);
    const stranger = await browsers.open(`${fixture.url}${PATHS.signIn}`);
    // If the next page is opened too early, Firefox aborts this one and logs an error.
    await stranger.waitFor("main #email");
    assert.deepEqual(await findFaults(stranger, { fixture, ids, hasNavigation: false }), []);
  });
}

interface FaultSearch {
  readonly fixture: ConsoleFixture;
  readonly ids: FilledAccount;
  readonly hasNavigation: boolean;
}

/** Opens every path of the router at every width; returns a line for each layout fault. */
async function findFaults(page: ConsolePage, input: FaultSearch): Promise<readonly string[]> {
  const faultLines: string[] = [];
  for (const [name, path] of Object.entries(PATHS)) {
    const openedPath = path.replace("$id", () => findId(input.ids, name));
    assert.doesNotMatch(openedPath, /\$/, `${name} needs an id in its path`);
    await page.tab.goto(input.fixture.url + openedPath);
    await page.waitFor("main h1, main h2");
    for (const width of WIDTHS) {
      await page.tab.setViewport({ width, height: HEIGHT });
      const layoutFaults = await findLayoutFaults(page.tab);
      const navigationFaults: unknown = await page.tab.evaluate(MISPLACED_NAVIGATION);
      // The expression returns strings.
      const faults = [...layoutFaults, ...(navigationFaults as readonly string[])];
      faultLines.push(...faults.map((fault) => `${openedPath}, ${width} px: ${fault}`));
    }
    const hasNavigation: unknown = await page.tab.evaluate(HAS_NAVIGATION);
    // Pages outside the shell redirect a signed-in account into it, or have no navigation.
    if (!OUTSIDE_SHELL.has(path))
      assert.equal(hasNavigation, input.hasNavigation, `${openedPath} and its navigation`);
  }
  return faultLines;
}

/** Paths outside the shell, for every account; some redirect into it. */
const OUTSIDE_SHELL: ReadonlySet<string> = new Set([
  PATHS.actLink,
  PATHS.signIn,
  PATHS.signInReturn,
  PATHS.signUp,
  PATHS.forgottenPassword,
  PATHS.setUp,
  PATHS.invitation,
  PATHS.verifyEmail,
  PATHS.verifyEmailChange,
  PATHS.pairing,
  PATHS.welcome,
  PATHS.reset,
  PATHS.resetPassword,
]);

function findId(ids: FilledAccount, name: string): string {
  // A missing id leaves `$` in the path, which the caller's assertion reports.
  return Object.entries(ids).find(([key]) => key === `${name}Id`)?.[1] ?? "$";
}

/** Evaluates to the navigation bar; null if the page has none. */
const NAVIGATION_BAR = `document.querySelector("header nav")`;
const HAS_NAVIGATION = `${NAVIGATION_BAR} !== null`;

/** Evaluates to a list with at most one description of a navigation bar that is off screen or covered. */
const MISPLACED_NAVIGATION = `(() => {
  const root = document.documentElement;
  const bar = ${NAVIGATION_BAR};
  if (bar === null) return [];
  // Firefox counts in sixtieths of a pixel.
  const { top, bottom, left, right } = bar.getBoundingClientRect();
  const isOnScreen = top >= 0 && Math.floor(bottom) <= innerHeight && left >= 0 && right <= root.clientWidth;
  if (!isOnScreen) return ["the navigation is off screen, at " + [left, top, right, bottom].join()];
  const front = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
  return bar.contains(front) ? [] : ["the navigation is covered by " + front?.outerHTML.slice(0, 120)];
})()`;
