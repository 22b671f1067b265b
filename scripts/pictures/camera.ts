import { join } from "node:path";
import type { Page } from "puppeteer-core";
import { ROOT } from "../files.ts";

const FOLDER = join(ROOT, "docs/pictures");

/** Moves a browser to where it is early in the afternoon: what came in the last hours came today, whenever this runs. */
export async function beInTheAfternoon(page: Page): Promise<void> {
  const hoursEast = 14 - new Date().getUTCHours();
  // These names count hours westwards.
  await page.emulateTimezone(`Etc/GMT${hoursEast > 0 ? "-" : "+"}${Math.abs(hoursEast)}`);
}

/** Writes what a page shows now into a file of docs/pictures. */
export async function take(page: Page, name: string): Promise<void> {
  await settle(page);
  await page.screenshot(fileOf(name));
}

/** Writes what an element shows now into a file of docs/pictures. Throws where the page has no such element. */
export async function takePart(page: Page, selector: string, name: string): Promise<void> {
  const part = await page.waitForSelector(selector);
  if (part === null) throw new Error(`The page has no ${selector}.`);
  await settle(page);
  await part.screenshot(fileOf(name));
}

/** Nothing moves, is focused or still on its way. */
async function settle(page: Page): Promise<void> {
  await page.emulateMediaFeatures([
    { name: "prefers-color-scheme", value: "light" },
    { name: "prefers-reduced-motion", value: "reduce" },
  ]);
  await page.evaluate("document.activeElement?.blur()");
  await page.evaluate(FRAMES);
}

function fileOf(name: string) {
  return { path: join(FOLDER, `${name}.webp`), type: "webp", quality: 88 } as const;
}

const FRAMES = `new Promise((resolve) => {
  requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(resolve)));
})`;
