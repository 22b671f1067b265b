import assert from "node:assert/strict";
import test from "node:test";
import { PATHS } from "../../../console/src/paths.ts";
import { addDevice } from "../support/app.ts";
import type { ConsolePage } from "../support/console-page.ts";
import { setUp, startStage, type ConsoleStage, type Visitor } from "../support/console-stage.ts";
import { fillFeed } from "../support/feed.ts";
import { PUSH_BROWSERS } from "../support/push-browsers.ts";

/** The width of the smallest phone, of a usual one, and of a desktop of 1,280 pixels at 200 %. */
const WIDTHS = [320, 390, 640] as const;
const HEIGHT = 844;

/** Longer than any screen of a phone, with nothing to break it at. */
const WORD = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft";
/** As long as a channel may be. */
const CHANNELS = Array.from({ length: 8 }, (_, index) =>
  `${index}-kubernetes-production-eu-central-1-alertmanager-and-its-friends`.slice(0, 64),
);

for (const [make, startBrowsers] of Object.entries(PUSH_BROWSERS)) {
  test(`${make}: no page of the console is wider than its screen, and its navigation stays there`, async (t) => {
    const browsers = await startBrowsers(t);
    const stage = await startStage(t, browsers);
    const ann = await setUp(stage, browsers);
    const ids = await fillHouse(stage, ann);
    // Those whose session ended come last: they have no navigation.
    const found = await lookThrough(ann.page, { stage, ids, hasNavigation: true });
    assert.deepEqual(found, []);
    const stranger = await browsers.open(`${stage.url}${PATHS.signIn}`);
    // Firefox cuts off a page that is still being loaded, and says so.
    await stranger.see("main #email");
    assert.deepEqual(await lookThrough(stranger, { stage, ids, hasNavigation: false }), []);
  });
}

/** What a path with a `$` is opened with. */
type Ids = Readonly<Partial<Record<keyof typeof PATHS, string>>>;

/** Gives the account one of everything, under names that no line can hold. */
async function fillHouse(stage: ConsoleStage, ann: Visitor): Promise<Ids> {
  const { client } = ann;
  const { id: accountId } = await client.me();
  const { device } = await addDevice({ push: stage.push }, ann, WORD.slice(0, 64));
  await client.groups.create({ name: WORD.slice(0, 64), deviceIds: [device.id] });
  const team = await client.teams.create({ name: WORD.slice(0, 64) });
  const email = `${WORD.slice(0, 24).toLowerCase()}@${"subsidiary".repeat(4)}.example.org`;
  await client.teams.invite(team.id, { email });
  await client.keys.create({ kind: "account", label: WORD.slice(0, 64) });
  await client.keys.create({ kind: "team", teamId: team.id, label: WORD.slice(0, 64) });
  const said = CHANNELS.flatMap((channel, index) => [
    { title: WORD.repeat(2), body: `${WORD} `.repeat(4), channel, minutesAgo: index },
    { title: "Again", body: WORD, channel, timeSensitive: true, link: linkOf(index) },
  ]);
  const filed = await fillFeed(stage.app.context, accountId, said);
  return { notification: filed.at(-1) ?? "", record: filed.at(-2) ?? "", team: team.id };
}

function linkOf(index: number): string {
  return `https://example.org/${WORD}/${index}`;
}

interface LookInput {
  readonly stage: ConsoleStage;
  readonly ids: Ids;
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
      const faults: unknown = await page.page.evaluate(FAULTS);
      // The expression made the list.
      const told = (faults as readonly string[]).map((fault) => `${opened}, ${width} px: ${fault}`);
      found.push(...told);
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

function idOf(ids: Ids, name: string): string {
  // Every name is a key of the paths, which the ids are a part of.
  return ids[name as keyof typeof PATHS] ?? "$";
}

/** The bar of the navigation, where the page has one. */
const BAR = `document.querySelector("header nav")`;
const HAS_NAVIGATION = `${BAR} !== null`;

/** Waits until the page stays as wide as it is, and says what does not fit then. */
const FAULTS = `(async () => {
  const frame = () => new Promise(requestAnimationFrame);
  const root = document.documentElement;
  // What is still being loaded may be wide.
  for (let still = 0, before = ""; still < 6; ) {
    await frame();
    const now = [root.scrollWidth, root.scrollHeight].join();
    const isLoading = document.querySelector('main [role="status"][aria-label]') !== null;
    still = now === before && !isLoading ? still + 1 : 0;
    before = now;
  }
  const faults = [];
  if (root.scrollWidth > root.clientWidth) {
    const widest = [...document.querySelectorAll("body *")]
      .map((one) => [one.getBoundingClientRect().right, one]).toSorted(([a], [b]) => b - a)[0];
    faults.push("the page is " + root.scrollWidth + " px wide, as far as " + widest[1].outerHTML.slice(0, 120));
  }
  const bar = ${BAR};
  if (bar !== null) {
    // Firefox counts in sixtieths of a pixel.
    const { top, bottom, left, right } = bar.getBoundingClientRect();
    const isThere = top >= 0 && Math.floor(bottom) <= innerHeight && left >= 0 && right <= root.clientWidth;
    const front = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    if (!isThere) faults.push("the navigation is not on the screen, but at " + [left, top, right, bottom].join());
    else if (!bar.contains(front)) faults.push("the navigation is behind " + front?.outerHTML.slice(0, 120));
  }
  return faults;
})()`;
