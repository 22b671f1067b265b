import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Page } from "puppeteer-core";
import type { ConsolePage } from "./console-page.ts";
import { tooWide } from "./too-wide.ts";
import type { SpokenLanguage } from "./translated.ts";

/** A page by the name of its picture, and what to wait for. */
export interface Sight {
  readonly name: string;
  readonly path: string;
  readonly shows: string;
  /** The button that opens what the picture is about, or the buttons and menu items on the way there, and what to wait for then. */
  readonly opens?: { readonly button: string | readonly string[]; readonly shows: string };
  /** Actions on the page before the picture is taken, beyond pressing buttons. */
  readonly happens?: (page: ConsolePage) => Promise<void>;
}

/** The sizes in which the console is looked at, in either scheme. */
export const SIZES = [
  { name: "desktop", width: 1280, height: 800 },
  { name: "phone", width: 390, height: 844 },
] as const;

const OTHER_SIZES = [
  { name: "tablet", width: 768, height: 1024 },
  { name: "small-phone", width: 320, height: 640 },
] as const;

/** One of the sizes in which every journey looks. */
export type Size = (typeof SIZES)[number];

/** How large a page is. */
type AnySize = Size | (typeof OTHER_SIZES)[number];

/** Every size in every language takes four times as long: that is for whoever changed pages, and before a release. */
const LOOKS_AT_ALL = process.env["TOCSIN_TEST_LOOKS"] === "all";

const LOOKED_AT_SIZES: readonly AnySize[] = LOOKS_AT_ALL ? [...SIZES, ...OTHER_SIZES] : SIZES;

/** The last one is what journeys go on in. */
const LOOKED_AT_LANGUAGES: readonly SpokenLanguage[] = LOOKS_AT_ALL ? ["de", "en"] : ["en"];

const SCHEMES = ["light", "dark"] as const;

/** A rule that a page breaks, of WCAG or ours, and where. */
export interface Finding {
  readonly page: string;
  /** Its size and scheme. */
  readonly view: string;
  readonly rule: string;
  readonly where: readonly string[];
}

const TAKES_PICTURES = process.env["CI"] === undefined;
/** Where pictures of the pages are put; git ignores it. */
const FOLDER = join(import.meta.dirname, "../../../screenshots");

/**
 * Takes a picture of every sight in every size and scheme. Throws where one breaks a rule of WCAG 2.2 A and AA, or
 * where the browser complained of anything that `expected` does not match.
 */
export async function lookAt(
  page: ConsolePage,
  { sights, expected }: { readonly sights: readonly Sight[]; readonly expected?: RegExp },
): Promise<void> {
  const { origin } = new URL(page.page.url());
  const findings: Finding[] = [];
  for (const language of LOOKED_AT_LANGUAGES) {
    if (LOOKED_AT_LANGUAGES.length > 1) await page.speak(language);
    for (const sight of sights)
      findings.push(...(await lookAtOne(page, { origin, sight, language })));
  }
  assert.deepEqual(findings, []);
  const surprises = page.complaints.filter((complaint) => !(expected?.test(complaint) ?? false));
  assert.deepEqual(surprises, []);
}

interface OneSight {
  readonly origin: string;
  readonly sight: Sight;
  readonly language: SpokenLanguage;
}

async function lookAtOne(
  page: ConsolePage,
  { origin, sight, language }: OneSight,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  const name = language === "en" ? sight.name : `${sight.name}-${language}`;
  for (const size of LOOKED_AT_SIZES) {
    await lookAs(page, size);
    try {
      if (size === SIZES[0] || isMade(sight)) await open(page, { origin, sight });
      else await page.see(sight.shows);
    } catch (error) {
      const text = await page.see("body").catch(() => "a page that does not answer");
      throw new Error(`${name} is not shown, but: ${text}`, { cause: error });
    }
    findings.push(...(await examine(page, { name, size })));
  }
  return findings;
}

/** A page follows its size by itself; what has to be pressed must be in reach in every size. */
function isMade({ opens, happens }: Sight): boolean {
  return (opens ?? happens) !== undefined;
}

async function open(
  page: ConsolePage,
  { origin, sight }: { readonly origin: string; readonly sight: Sight },
): Promise<void> {
  const { path, shows, opens, happens } = sight;
  // Where only the fragment changes, the page of before would be taken for this one.
  if (path.includes("#")) await page.leave();
  await page.page.goto(origin + path);
  await page.see(shows);
  if (opens !== undefined) {
    for (const button of [opens.button].flat()) await page.press(button);
    await page.see(opens.shows);
  }
  await happens?.(page);
}

/** Shows the console in another size, and with nothing that moves. */
export async function lookAs({ page }: ConsolePage, { width, height }: AnySize): Promise<void> {
  await page.setViewport({ width, height });
  await prefer(page, "light");
}

async function prefer(page: Page, scheme: (typeof SCHEMES)[number]): Promise<void> {
  await page.emulateMediaFeatures([
    { name: "prefers-color-scheme", value: scheme },
    { name: "prefers-reduced-motion", value: "reduce" },
  ]);
}

/**
 * Takes pictures of a page as it is now, in either scheme, and returns which rules of WCAG 2.2 A and AA it breaks, and what
 * is wider than its screen.
 */
export async function examine(
  { page }: ConsolePage,
  { name, size }: { readonly name: string; readonly size: AnySize },
): Promise<readonly Finding[]> {
  await mkdir(FOLDER, { recursive: true });
  if (!(await page.evaluate(HAS_AXE))) await page.evaluate(axe + HOLD_STILL);
  const findings: Finding[] = [];
  for (const scheme of SCHEMES) {
    const view = `${size.name}-${scheme}`;
    await prefer(page, scheme);
    await page.evaluate(SETTLE);
    // They are for people: where nobody looks at them, they would be half of the work.
    if (TAKES_PICTURES) await page.screenshot({ path: join(FOLDER, `${name}-${view}.png`) });
    const found: unknown = await page.evaluate(scheme === SCHEMES[0] ? RUN : RUN_ON_COLOURS);
    // The expression made the list.
    const rules = found as readonly { readonly rule: string; readonly where: readonly string[] }[];
    findings.push(...rules.map((rule) => ({ page: name, view, ...rule })));
  }
  const wide = await tooWide(page);
  if (wide.length > 0)
    findings.push({ page: name, view: size.name, rule: "too wide", where: wide });
  return findings;
}

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const HAS_AXE = `"axe" in window`;

/** Between two schemes colours fade, even for who wants little motion; a picture shows where they end. */
const HOLD_STILL = `{
  const sheet = new CSSStyleSheet();
  sheet.replaceSync("*, *::before, *::after { transition: none !important; }");
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
}`;

/** In the first frame the page hears of another scheme, in the second it shows it; one more, for what follows from that. */
const SETTLE = `new Promise((resolve) => {
  requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(resolve)));
})`;

const RUN = runOf(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]);
/** In another scheme a page has other colours and is otherwise the same. */
const RUN_ON_COLOURS = runOf(["color-contrast", "link-in-text-block"]);

/** Returns the expression that looks for violations of rules, by their names or tags. */
function runOf(runOnly: readonly string[]): string {
  const options = JSON.stringify({ runOnly, resultTypes: ["violations"] });
  // An element behind an open dialog or menu is pressed once that is closed, and is measured then.
  return `axe.run(document, ${options}).then(({ violations }) => {
  const front = document.querySelector('[role="dialog"][aria-modal="true"], [role="menu"]');
  const isCovered = (rule, target) =>
    rule === "target-size" && front !== null && !front.contains(document.querySelector(target[0]));
  return violations.map(({ id, nodes }) => ({ rule: id, where: nodes
    .filter(({ target }) => !isCovered(id, target))
    .map(({ target, any }) => target.join(" ") + ": " + any.map(({ message }) => message).join("; ")),
  })).filter(({ where }) => where.length > 0);
})`;
}
