import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Page } from "puppeteer-core";
import type { ConsolePage } from "./console-page.ts";
import { findLayoutFaults } from "./layout-faults.ts";
import type { ConsoleLanguage } from "./translate.ts";

/** A view of the console to check: its screenshot's name, its path and a selector to wait for. */
export interface View {
  readonly name: string;
  readonly path: string;
  readonly shows: string;
  /** Buttons or menu items to press in order, and a selector to wait for afterwards. */
  readonly opens?: { readonly button: string | readonly string[]; readonly shows: string };
  /** Further actions on the page before the screenshot. */
  readonly act?: (page: ConsolePage) => Promise<void>;
}

/** Viewport sizes of every check, in both colour schemes. */
export const SIZES = [
  { name: "desktop", width: 1280, height: 800 },
  { name: "phone", width: 390, height: 844 },
] as const;

const OTHER_SIZES = [
  { name: "tablet", width: 768, height: 1024 },
  { name: "small-phone", width: 320, height: 640 },
] as const;

/** A viewport size that every journey checks. */
export type Size = (typeof SIZES)[number];

/** Any viewport size. */
type AnySize = Size | (typeof OTHER_SIZES)[number];

/** Checking every size in every language takes four times as long, so it is for changed pages and releases. */
const CHECKS_ALL = process.env["TOCSIN_TEST_LOOKS"] === "all";

const CHECKED_SIZES: readonly AnySize[] = CHECKS_ALL ? [...SIZES, ...OTHER_SIZES] : SIZES;

/** Journeys continue in the last language. */
const CHECKED_LANGUAGES: readonly ConsoleLanguage[] = CHECKS_ALL ? ["de", "en"] : ["en"];

const SCHEMES = ["light", "dark"] as const;

/** A violated rule, of WCAG or our own, and its elements. */
export interface Finding {
  readonly page: string;
  /** Viewport size and colour scheme. */
  readonly view: string;
  readonly rule: string;
  readonly where: readonly string[];
}

const TAKES_SCREENSHOTS = process.env["CI"] === undefined;
/** The folder of screenshots; git ignores it. */
const FOLDER = join(import.meta.dirname, "../../../screenshots");

/**
 * Takes screenshots of every view in every size and scheme. Throws if one violates WCAG 2.2 A or AA, or if the
 * browser reported an error that `expected` does not match.
 */
export async function lookAt(
  page: ConsolePage,
  { sights, expected }: { readonly sights: readonly View[]; readonly expected?: RegExp },
): Promise<void> {
  const { origin } = new URL(page.page.url());
  const findings: Finding[] = [];
  for (const language of CHECKED_LANGUAGES) {
    if (CHECKED_LANGUAGES.length > 1) await page.speak(language);
    for (const view of sights)
      findings.push(...(await checkView(page, { origin, view, language })));
  }
  assert.deepEqual(findings, []);
  const unexpected = page.complaints.filter((complaint) => !(expected?.test(complaint) ?? false));
  assert.deepEqual(unexpected, []);
}

interface ViewInLanguage {
  readonly origin: string;
  readonly view: View;
  readonly language: ConsoleLanguage;
}

async function checkView(
  page: ConsolePage,
  { origin, view, language }: ViewInLanguage,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  const name = language === "en" ? view.name : `${view.name}-${language}`;
  for (const size of CHECKED_SIZES) {
    await resize(page, size);
    try {
      if (size === SIZES[0] || needsActions(view)) await openView(page, { origin, view });
      else await page.see(view.shows);
    } catch (error) {
      const text = await page.see("body").catch(() => "a page that does not respond");
      throw new Error(`${name} is not shown. The page shows: ${text}`, { cause: error });
    }
    findings.push(...(await examine(page, { name, size })));
  }
  return findings;
}

/** True if the view needs actions: they are repeated in every size, because buttons must be in reach in each. A plain page adapts by itself. */
function needsActions({ opens, act }: View): boolean {
  return (opens ?? act) !== undefined;
}

async function openView(
  page: ConsolePage,
  { origin, view }: { readonly origin: string; readonly view: View },
): Promise<void> {
  const { path, shows, opens, act } = view;
  // If only the fragment changed, the previous page would be mistaken for this one.
  if (path.includes("#")) await page.leave();
  await page.page.goto(origin + path);
  await page.see(shows);
  if (opens !== undefined) {
    for (const button of [opens.button].flat()) await page.press(button);
    await page.see(opens.shows);
  }
  await act?.(page);
}

/** Resizes the console and disables motion. */
export async function resize({ page }: ConsolePage, { width, height }: AnySize): Promise<void> {
  await page.setViewport({ width, height });
  await setScheme(page, "light");
}

async function setScheme(page: Page, scheme: (typeof SCHEMES)[number]): Promise<void> {
  await page.emulateMediaFeatures([
    { name: "prefers-color-scheme", value: scheme },
    { name: "prefers-reduced-motion", value: "reduce" },
  ]);
}

/**
 * Takes screenshots of the current page in both schemes. Returns its violations of WCAG 2.2 A and AA, and the elements
 * that are wider than the screen.
 */
export async function examine(
  { page }: ConsolePage,
  { name, size }: { readonly name: string; readonly size: AnySize },
): Promise<readonly Finding[]> {
  await mkdir(FOLDER, { recursive: true });
  if (!(await page.evaluate(HAS_AXE))) await page.evaluate(AXE_SOURCE + DISABLE_TRANSITIONS);
  const findings: Finding[] = [];
  for (const scheme of SCHEMES) {
    const view = `${size.name}-${scheme}`;
    await setScheme(page, scheme);
    await page.evaluate(AWAIT_FRAMES);
    // Screenshots are for people and take half of the time, so CI skips them.
    if (TAKES_SCREENSHOTS) await page.screenshot({ path: join(FOLDER, `${name}-${view}.png`) });
    const violations: unknown = await page.evaluate(
      scheme === SCHEMES[0] ? RUN_ALL_RULES : RUN_COLOUR_RULES,
    );
    // The expression returns this list.
    const rules = violations as readonly {
      readonly rule: string;
      readonly where: readonly string[];
    }[];
    findings.push(...rules.map((rule) => ({ page: name, view, ...rule })));
  }
  const wideElements = await findLayoutFaults(page);
  if (wideElements.length > 0)
    findings.push({ page: name, view: size.name, rule: "too wide", where: wideElements });
  return findings;
}

const AXE_SOURCE = readFileSync(
  createRequire(import.meta.url).resolve("axe-core/axe.min.js"),
  "utf8",
);
const HAS_AXE = `"axe" in window`;

/** Disables colour transitions between schemes, which reduced motion does not disable. */
const DISABLE_TRANSITIONS = `{
  const sheet = new CSSStyleSheet();
  sheet.replaceSync("*, *::before, *::after { transition: none !important; }");
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
}`;

/** Waits three frames: the page receives the new scheme in the first, renders it in the second and updates dependent styles in the third. */
const AWAIT_FRAMES = `new Promise((resolve) => {
  requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(resolve)));
})`;

const RUN_ALL_RULES = axeExpression(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]);
/** The second scheme differs only in colours. */
const RUN_COLOUR_RULES = axeExpression(["color-contrast", "link-in-text-block"]);

/** Returns a browser expression that lists violations of rules, by their names or tags. */
function axeExpression(runOnly: readonly string[]): string {
  const options = JSON.stringify({ runOnly, resultTypes: ["violations"] });
  // An element that an open dialog or menu covers is measured when it is closed.
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
