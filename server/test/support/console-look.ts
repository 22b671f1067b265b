import assert from "node:assert/strict";
import { mkdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { ConsolePage } from "./console-page.ts";

/** A page by the name of its picture, and what to wait for. */
export interface Sight {
  readonly name: string;
  readonly path: string;
  readonly shows: string;
  /** The button that opens what the picture is about, or the buttons and menu items on the way there, and what to wait for then. */
  readonly opens?: { readonly button: string | readonly string[]; readonly shows: string };
  /** What happens on the page before the picture is taken, where pressing buttons does not bring it about. */
  readonly happens?: (page: ConsolePage) => Promise<void>;
}

/** How the console is looked at: every scheme on a phone and on a desktop. */
export const VIEWS = [
  { name: "desktop-light", width: 1280, height: 800, scheme: "light" },
  { name: "desktop-dark", width: 1280, height: 800, scheme: "dark" },
  { name: "phone-light", width: 390, height: 844, scheme: "light" },
  { name: "phone-dark", width: 390, height: 844, scheme: "dark" },
] as const;

/** One way to look at the console. */
export type View = (typeof VIEWS)[number];

/** A rule of WCAG that a page breaks, and where. */
export interface Finding {
  readonly page: string;
  readonly view: string;
  readonly rule: string;
  readonly where: readonly string[];
}

/** Where pictures of the pages are put; git ignores it. */
const FOLDER = join(import.meta.dirname, "../../../screenshots");

/**
 * Takes a picture of every sight in every view. Throws where one breaks a rule of WCAG 2.2 A and AA, or where
 * the browser complained of anything that `expected` does not match.
 */
export async function lookAt(
  page: ConsolePage,
  { sights, expected }: { readonly sights: readonly Sight[]; readonly expected?: RegExp },
): Promise<void> {
  const { origin } = new URL(page.page.url());
  const findings: Finding[] = [];
  for (const view of VIEWS) {
    await lookAs(page, view);
    for (const { name, path, shows, opens, happens } of sights) {
      await page.page.goto(origin + path);
      await page.see(shows);
      if (opens !== undefined) {
        for (const button of [opens.button].flat()) await page.press(button);
        await page.see(opens.shows);
      }
      await happens?.(page);
      findings.push(...(await examine(page, { name, view })));
    }
  }
  assert.deepEqual(findings, []);
  const surprises = page.complaints.filter((complaint) => !(expected?.test(complaint) ?? false));
  assert.deepEqual(surprises, []);
}

/** Shows the console in another way; it follows what the system says. */
export async function lookAs({ page }: ConsolePage, view: View): Promise<void> {
  const { width, height, scheme } = view;
  await page.setViewport({ width, height });
  await page.emulateMediaFeatures([
    { name: "prefers-color-scheme", value: scheme },
    { name: "prefers-reduced-motion", value: "reduce" },
  ]);
}

/** Takes a picture of a page as it is now, and returns which rules of WCAG 2.2 A and AA it breaks. */
export async function examine(
  { page }: ConsolePage,
  { name, view }: { readonly name: string; readonly view: View },
): Promise<readonly Finding[]> {
  await mkdir(FOLDER, { recursive: true });
  await page.screenshot({ path: join(FOLDER, `${name}-${view.name}.png`) });
  await page.evaluate(await axeSource());
  const found: unknown = await page.evaluate(RUN);
  // The expression made the list.
  const rules = found as readonly { readonly rule: string; readonly where: readonly string[] }[];
  return rules.map((rule) => ({ page: name, view: view.name, ...rule }));
}

function axeSource(): Promise<string> {
  return readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
}

const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
const RUN = `axe.run(document, { runOnly: ${JSON.stringify(TAGS)} }).then(({ violations }) =>
  violations.map(({ id, nodes }) => ({ rule: id, where: nodes.map(({ target, any }) =>
    target.join(" ") + ": " + any.map(({ message }) => message).join("; ")) })))`;
