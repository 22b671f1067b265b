import { join } from "node:path";
import type { Page } from "puppeteer-core";
import { ROOT } from "../files.ts";

const PICTURE_FOLDER = join(ROOT, "docs/pictures");
const AFTERNOON_HOUR = 14;

/**
 * Sets a browser's time zone so that it is early afternoon there: events of the last hours are then always from today.
 */
export async function emulateAfternoon(page: Page): Promise<void> {
  const hoursEast = AFTERNOON_HOUR - new Date().getUTCHours();
  // In these names, the sign counts hours westwards.
  await page.emulateTimezone(`Etc/GMT${hoursEast > 0 ? "-" : "+"}${Math.abs(hoursEast)}`);
}

/** Saves a screenshot of a page in docs/pictures. */
export async function takePicture(page: Page, name: string): Promise<void> {
  await waitUntilStill(page);
  await page.screenshot(createScreenshotOptions(name));
}

/** Saves a screenshot of an element in docs/pictures. Throws if the page has no such element. */
export async function takeElementPicture(
  page: Page,
  selector: string,
  name: string,
): Promise<void> {
  const element = await page.waitForSelector(selector);
  if (element === null) throw new Error(`The page has no ${selector}.`);
  await waitUntilStill(page);
  await element.screenshot(createScreenshotOptions(name));
}

/** Turns animations off, removes the focus, and waits for three frames, so that the page is drawn without motion. */
async function waitUntilStill(page: Page): Promise<void> {
  await page.emulateMediaFeatures([
    { name: "prefers-color-scheme", value: "light" },
    { name: "prefers-reduced-motion", value: "reduce" },
  ]);
  await page.evaluate("document.activeElement?.blur()");
  await page.evaluate(AFTER_THREE_FRAMES);
}

function createScreenshotOptions(name: string) {
  return { path: join(PICTURE_FOLDER, `${name}.webp`), type: "webp", quality: 88 } as const;
}

const AFTER_THREE_FRAMES = `new Promise((resolve) => {
  requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(resolve)));
})`;
