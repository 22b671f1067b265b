import assert from "node:assert/strict";
import test from "node:test";
import { PATHS } from "../../../console/src/paths.ts";
import type { ConsolePage } from "../support/console-page.ts";
import { setUp, startStage, type ConsoleStage } from "../support/console-stage.ts";
import { fillHouse, type FullHouse } from "../support/full-house.ts";
import { PUSH_BROWSERS } from "../support/push-browsers.ts";
import { tooWide } from "../support/too-wide.ts";

/** The width of the smallest phone, of a usual one, and of a desktop of 1,280 pixels at 200 %. */
const WIDTHS = [320, 390, 640] as const;
const HEIGHT = 844;

for (const [make, startBrowsers] of Object.entries(PUSH_BROWSERS)) {
  test(`${make}: no page of the console is wider than its screen, and its navigation stays there`, async (t) => {
    const browsers = await startBrowsers(t);
    const stage = await startStage(t, browsers);
    const ann = await setUp(stage, browsers);
    const ids = await fillHouse(stage, ann);
    // Pages without a session come last: they have no navigation.
    const found = await lookThrough(ann.page, { stage, ids, hasNavigation: true });
    assert.deepEqual(found, []);
    const stranger = await browsers.open(`${stage.url}${PATHS.signIn}`);
    // Firefox cuts off a page that is still being loaded, and says so.
    await stranger.see("main #email");
    assert.deepEqual(await lookThrough(stranger, { stage, ids, hasNavigation: false }), []);
  });
}

interface LookInput {
  readonly stage: ConsoleStage;
  readonly ids: FullHouse;
  readonly hasNavigation: boolean;
}

/** Opens every path that the router knows, in every width; returns what does not fit. */
async function lookThrough(page: ConsolePage, input: LookInput): Promise<readonly string[]> {
  const found: string[] = [];
  for (const [name, path] of Object.entries(PATHS)) {
    const opened = path.replace("$id", () => idOf(input.ids, name));
    assert.doesNotMatch(opened, /\$/, `${name} needs an id to be opened with`);
    await page.page.goto(input.stage.url + opened);
    await page.see("main h1, main h2");
    for (const width of WIDTHS) {
      await page.page.setViewport({ width, height: HEIGHT });
      const wide = await tooWide(page.page);
      const misplaced: unknown = await page.page.evaluate(MISPLACED);
      // The expression made the list.
      const faults = [...wide, ...(misplaced as readonly string[])];
      found.push(...faults.map((fault) => `${opened}, ${width} px: ${fault}`));
    }
    const isInside: unknown = await page.page.evaluate(HAS_NAVIGATION);
    // Pages outside of the frame lead somebody who is signed in into it, or have no navigation at all.
    const isOutside = OUTSIDE.has(path);
    if (!isOutside) assert.equal(isInside, input.hasNavigation, `${opened} and its navigation`);
  }
  return found;
}

/** They stand outside of the frame, whoever opens them, or lead to where the frame is. */
const OUTSIDE: ReadonlySet<string> = new Set([
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

function idOf(ids: FullHouse, name: string): string {
  // A house has an id for some names alone.
  return Object.entries(ids).find(([known]) => known === name)?.[1] ?? "$";
}

/** The bar of the navigation, where the page has one. */
const BAR = `document.querySelector("header nav")`;
const HAS_NAVIGATION = `${BAR} !== null`;

/** Says where the navigation of the page is not. */
const MISPLACED = `(() => {
  const root = document.documentElement;
  const bar = ${BAR};
  if (bar === null) return [];
  // Firefox counts in sixtieths of a pixel.
  const { top, bottom, left, right } = bar.getBoundingClientRect();
  const isThere = top >= 0 && Math.floor(bottom) <= innerHeight && left >= 0 && right <= root.clientWidth;
  if (!isThere) return ["the navigation is not on the screen, but at " + [left, top, right, bottom].join()];
  const front = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
  return bar.contains(front) ? [] : ["the navigation is behind " + front?.outerHTML.slice(0, 120)];
})()`;
