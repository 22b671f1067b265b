import assert from "node:assert/strict";
import test from "node:test";
import { PATHS } from "../../../console/src/paths.ts";
import type { ConsolePage } from "../support/console-page.ts";
import { setUp, startStage, type ConsoleStage } from "../support/console-stage.ts";
import { fillAccount, type FilledAccount } from "../support/fill-account.ts";
import { PUSH_BROWSERS } from "../support/push-browsers.ts";
import { findLayoutFaults } from "../support/layout-faults.ts";

/** Widths in pixels of the smallest phone, a usual phone, and a 1,280-pixel desktop zoomed to 200 %. */
const WIDTHS = [320, 390, 640] as const;
const HEIGHT = 844;

for (const [browserName, startBrowsers] of Object.entries(PUSH_BROWSERS)) {
  test(`${browserName}: no console page is wider than its screen, and its navigation stays visible`, async (t) => {
    const browsers = await startBrowsers(t);
    const stage = await startStage(t, browsers);
    const ann = await setUp(stage, browsers);
    const ids = await fillAccount(stage, ann);
    // Checks pages without a session last: they have no navigation.
    const signedInFaults = await findFaults(ann.page, { stage, ids, hasNavigation: true });
    assert.deepEqual(signedInFaults, []);
    const stranger = await browsers.open(`${stage.url}${PATHS.signIn}`);
    // Firefox aborts a page that is still loading, and logs an error.
    await stranger.see("main #email");
    assert.deepEqual(await findFaults(stranger, { stage, ids, hasNavigation: false }), []);
  });
}

interface FaultSearch {
  readonly stage: ConsoleStage;
  readonly ids: FilledAccount;
  readonly hasNavigation: boolean;
}

/** Opens every path of the router at every width; returns a line for each layout fault. */
async function findFaults(page: ConsolePage, input: FaultSearch): Promise<readonly string[]> {
  const faultLines: string[] = [];
  for (const [name, path] of Object.entries(PATHS)) {
    const opened = path.replace("$id", () => findId(input.ids, name));
    assert.doesNotMatch(opened, /\$/, `${name} needs an id in its path`);
    await page.page.goto(input.stage.url + opened);
    await page.see("main h1, main h2");
    for (const width of WIDTHS) {
      await page.page.setViewport({ width, height: HEIGHT });
      const wide = await findLayoutFaults(page.page);
      const misplaced: unknown = await page.page.evaluate(MISPLACED);
      // The expression returns strings.
      const faults = [...wide, ...(misplaced as readonly string[])];
      faultLines.push(...faults.map((fault) => `${opened}, ${width} px: ${fault}`));
    }
    const hasNavigation: unknown = await page.page.evaluate(HAS_NAVIGATION);
    // Pages outside the shell redirect a signed-in account into it, or have no navigation.
    if (!OUTSIDE_SHELL.has(path))
      assert.equal(hasNavigation, input.hasNavigation, `${opened} and its navigation`);
  }
  return faultLines;
}

/** Paths outside the shell, for every account; some redirect into it. */
const OUTSIDE_SHELL: ReadonlySet<string> = new Set([
  PATHS.signIn,
  PATHS.signInReturn,
  PATHS.signUp,
  PATHS.forgotten,
  PATHS.setUp,
  PATHS.invitation,
  PATHS.verify,
  PATHS.verifyEmailChange,
  PATHS.add,
  PATHS.welcome,
  PATHS.reset,
  PATHS.resetPassword,
]);

function findId(ids: FilledAccount, name: string): string {
  // Only some paths contain an id.
  return Object.entries(ids).find(([key]) => key === name)?.[1] ?? "$";
}

/** Evaluates to the navigation bar; null if the page has none. */
const BAR = `document.querySelector("header nav")`;
const HAS_NAVIGATION = `${BAR} !== null`;

/** Evaluates to a description of a navigation bar that is off screen or covered. */
const MISPLACED = `(() => {
  const root = document.documentElement;
  const bar = ${BAR};
  if (bar === null) return [];
  // Firefox counts in sixtieths of a pixel.
  const { top, bottom, left, right } = bar.getBoundingClientRect();
  const isOnScreen = top >= 0 && Math.floor(bottom) <= innerHeight && left >= 0 && right <= root.clientWidth;
  if (!isOnScreen) return ["the navigation is off screen, at " + [left, top, right, bottom].join()];
  const front = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
  return bar.contains(front) ? [] : ["the navigation is covered by " + front?.outerHTML.slice(0, 120)];
})()`;
