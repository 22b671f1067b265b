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
  readonly waitFor: string;
  /** Buttons or menu items to press in order, and a selector to wait for afterwards. */
  readonly thenPress?: { readonly button: string | readonly string[]; readonly waitFor: string };
  /** Further actions on the page before the screenshot. */
  readonly prepare?: (page: ConsolePage) => Promise<void>;
}

/** Viewport sizes of every check, in both colour schemes. */
export const JOURNEY_SIZES = [
  { name: "desktop", width: 1280, height: 800 },
  { name: "phone", width: 390, height: 844 },
] as const;

const EXTRA_SIZES = [
  { name: "tablet", width: 768, height: 1024 },
  { name: "small-phone", width: 320, height: 640 },
] as const;

/** A viewport size that every journey checks. */
export type Size = (typeof JOURNEY_SIZES)[number];

/** Any viewport size. */
type AnySize = Size | (typeof EXTRA_SIZES)[number];

/** Checking every size in every language takes four times as long, so do it only for changed pages and releases. */
const CHECKS_ALL = process.env["TOCSIN_TEST_LOOKS"] === "all";

const CHECKED_SIZES: readonly AnySize[] = CHECKS_ALL
  ? [...JOURNEY_SIZES, ...EXTRA_SIZES]
  : JOURNEY_SIZES;

/** Journeys continue in the last language. */
const CHECKED_LANGUAGES: readonly ConsoleLanguage[] = CHECKS_ALL ? ["de", "en"] : ["en"];

const COLOUR_SCHEMES = ["light", "dark"] as const;

/** A violated rule, of WCAG or our own, and its elements. */
export interface Finding {
  readonly view: string;
  /** Viewport size and colour scheme. */
  readonly rendering: string;
  readonly rule: string;
  readonly where: readonly string[];
}

const TAKES_SCREENSHOTS = process.env["CI"] === undefined;
/** The folder of screenshots; git ignores it. */
const SCREENSHOT_FOLDER = join(import.meta.dirname, "../../../screenshots");

/**
 * Takes screenshots of every view in every checked size and scheme, except in CI. Throws if a view violates WCAG 2.2 A
 * or AA or has a layout fault, or if the browser reported an error that `expectedErrors` does not match.
 */
export async function inspectViews(
  page: ConsolePage,
  { views, expectedErrors }: { readonly views: readonly View[]; readonly expectedErrors?: RegExp },
): Promise<void> {
  const { origin } = new URL(page.tab.url());
  const findings: Finding[] = [];
  for (const language of CHECKED_LANGUAGES) {
    if (CHECKED_LANGUAGES.length > 1) await page.setLanguage(language);
    for (const view of views)
      findings.push(...(await inspectView(page, { origin, view, language })));
  }
  assert.deepEqual(findings, []);
  const unexpectedErrors = page.consoleErrors.filter(
    (error) => !(expectedErrors?.test(error) ?? false),
  );
  assert.deepEqual(unexpectedErrors, []);
}

interface ViewInLanguage {
  readonly origin: string;
  readonly view: View;
  readonly language: ConsoleLanguage;
}

async function inspectView(
  page: ConsolePage,
  { origin, view, language }: ViewInLanguage,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  const name = language === "en" ? view.name : `${view.name}-${language}`;
  for (const size of CHECKED_SIZES) {
    await resizePage(page, size);
    try {
      if (size === JOURNEY_SIZES[0] || needsActions(view)) await openView(page, { origin, view });
      else await page.waitFor(view.waitFor);
    } catch (error) {
      const text = await page.waitFor("body").catch(() => "a page that does not respond");
      throw new Error(`${name} is not shown. The page shows: ${text}`, { cause: error });
    }
    findings.push(...(await inspectPage(page, { name, size })));
  }
  return findings;
}

/**
 * Returns whether the view needs actions. Each size repeats them, because every button must be within reach. A plain page
 * adapts by itself.
 */
function needsActions({ thenPress, prepare }: View): boolean {
  return (thenPress ?? prepare) !== undefined;
}

async function openView(
  page: ConsolePage,
  { origin, view }: { readonly origin: string; readonly view: View },
): Promise<void> {
  const { path, waitFor, thenPress, prepare } = view;
  // If only the fragment changed, the previous page would be mistaken for this one.
  if (path.includes("#")) await page.leave();
  await page.tab.goto(origin + path);
  await page.waitFor(waitFor);
  if (thenPress !== undefined) {
    for (const button of [thenPress.button].flat()) await page.press(button);
    await page.waitFor(thenPress.waitFor);
  }
  await prepare?.(page);
}

/** Resizes the console and disables motion. */
export async function resizePage({ tab }: ConsolePage, { width, height }: AnySize): Promise<void> {
  await tab.setViewport({ width, height });
  await setScheme(tab, "light");
}

async function setScheme(page: Page, scheme: (typeof COLOUR_SCHEMES)[number]): Promise<void> {
  await page.emulateMediaFeatures([
    { name: "prefers-color-scheme", value: scheme },
    { name: "prefers-reduced-motion", value: "reduce" },
  ]);
}

/**
 * Takes screenshots of the current page in both schemes, except in CI. Returns its violations of WCAG 2.2 A and AA, and
 * its layout faults.
 */
export async function inspectPage(
  { tab }: ConsolePage,
  { name, size }: { readonly name: string; readonly size: AnySize },
): Promise<readonly Finding[]> {
  await mkdir(SCREENSHOT_FOLDER, { recursive: true });
  if (!(await tab.evaluate(HAS_AXE))) await tab.evaluate(AXE_SOURCE + DISABLE_TRANSITIONS);
  const findings: Finding[] = [];
  for (const scheme of COLOUR_SCHEMES) {
    const rendering = `${size.name}-${scheme}`;
    await setScheme(tab, scheme);
    await tab.evaluate(AWAIT_FRAMES);
    // Screenshots are for people and take half of the time, so CI skips them.
    if (TAKES_SCREENSHOTS)
      await tab.screenshot({ path: join(SCREENSHOT_FOLDER, `${name}-${rendering}.png`) });
    const violations: unknown = await tab.evaluate(
      scheme === COLOUR_SCHEMES[0] ? RUN_ALL_RULES : RUN_COLOUR_RULES,
    );
    // The expression returns this list.
    const violatedRules = violations as readonly {
      readonly rule: string;
      readonly where: readonly string[];
    }[];
    findings.push(...violatedRules.map((rule) => ({ view: name, rendering, ...rule })));
  }
  const layoutFaults = await findLayoutFaults(tab);
  if (layoutFaults.length > 0)
    findings.push({ view: name, rendering: size.name, rule: "layout", where: layoutFaults });
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

/**
 * Waits three frames: the page receives the new scheme in the first frame, renders it in the second and updates dependent
 * styles in the third.
 */
const AWAIT_FRAMES = `new Promise((resolve) => {
  requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(resolve)));
})`;

const RUN_ALL_RULES = createAxeExpression(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]);
/** The second scheme differs only in colours. */
const RUN_COLOUR_RULES = createAxeExpression(["color-contrast", "link-in-text-block"]);

/** Returns a browser expression that lists violations of rules, by their names or tags. */
function createAxeExpression(runOnly: readonly string[]): string {
  const options = JSON.stringify({ runOnly, resultTypes: ["violations"] });
  // An element that an open dialog or menu covers is measured when it is closed.
  return `axe.run(document, ${options}).then(({ violations }) => {
  const overlay = document.querySelector('[role="dialog"][aria-modal="true"], [role="menu"]');
  const isCovered = (rule, target) =>
    rule === "target-size" && overlay !== null && !overlay.contains(document.querySelector(target[0]));
  return violations.map(({ id, nodes }) => ({ rule: id, where: nodes
    .filter(({ target }) => !isCovered(id, target))
    .map(({ target, any }) => target.join(" ") + ": " + any.map(({ message }) => message).join("; ")),
  })).filter(({ where }) => where.length > 0);
})`;
}
