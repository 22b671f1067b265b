import type { Page } from "puppeteer-core";

/**
 * Waits until a page keeps its size. Returns its layout faults: a page that is wider than the screen, dialogs and menus
 * that extend beyond it or overflow, and text that has no room for a letter or for a word of normal length.
 */
export async function findLayoutFaults(page: Page): Promise<readonly string[]> {
  const faults: unknown = await page.evaluate(FIND_LAYOUT_FAULTS);
  // The expression returns this list.
  return faults as readonly string[];
}

/** The minimum width of an element with text: less has no room for a letter. */
const TEXT_MIN_WIDTH_PX = 3;
/** The length of "Benachrichtigungen", which fits into every column. User-chosen names may be longer. */
const WORD_CHARACTERS_MAX = 18;

/** The number of frames after which an unchanged page counts as loaded. */
const UNCHANGED_FRAMES = 6;

const FIND_LAYOUT_FAULTS = `(async () => {
  const frame = () => new Promise(requestAnimationFrame);
  const root = document.documentElement;
  // Elements may be too wide while the page loads.
  for (let unchangedFrames = 0, previousSize = ""; unchangedFrames < ${UNCHANGED_FRAMES}; ) {
    await frame();
    const size = [root.scrollWidth, root.scrollHeight].join();
    const isLoading = document.querySelector('main [role="status"][aria-label]') !== null;
    unchangedFrames = size === previousSize && !isLoading ? unchangedFrames + 1 : 0;
    previousSize = size;
  }
  const faults = [];
  const describe = (element) => element.outerHTML.slice(0, 120);
  if (root.scrollWidth > root.clientWidth) {
    const widest = [...document.querySelectorAll("body *")]
      .map((element) => [element.getBoundingClientRect().right, element]).toSorted(([a], [b]) => b - a)[0];
    faults.push("the page is " + root.scrollWidth + " px wide because of " + describe(widest[1]));
  }
  for (const element of document.querySelectorAll('[role="dialog"], [role="menu"], [role="listbox"], [role="alert"]')) {
    const { left, right, width } = element.getBoundingClientRect();
    if (width > 0 && (left < -1 || right > root.clientWidth + 1))
      faults.push(describe(element) + " extends from " + left + " to " + right + " px");
    if (width > 0 && getComputedStyle(element).overflowX !== "visible" && element.scrollWidth > element.clientWidth + 1)
      faults.push(describe(element) + " has " + element.scrollWidth + " px of content in " + element.clientWidth + " px");
  }
  for (const element of document.querySelectorAll("main *")) {
    const hasText = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== "");
    const { width, height } = element.getBoundingClientRect();
    const isPositioned = getComputedStyle(element).position === "absolute";
    if (hasText && !isPositioned && height > 0 && width < ${TEXT_MIN_WIDTH_PX})
      faults.push(describe(element) + " has text in only " + width + " px");
  }
  const isVisuallyHidden = (element) => element !== null && (getComputedStyle(element).clipPath !== "none" || isVisuallyHidden(element.parentElement));
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
    if (!text.parentElement.checkVisibility() || text.parentElement.closest("code, pre") !== null || isVisuallyHidden(text.parentElement)) continue;
    for (const { index, 0: word } of text.data.matchAll(/(?<![^\\s(„“])[\\p{L}\\p{N}]{2,${WORD_CHARACTERS_MAX}}(?![^\\s).,:;!?“])/gu)) {
      const range = document.createRange();
      range.setStart(text, index);
      range.setEnd(text, index + word.length);
      const lines = new Set([...range.getClientRects()].filter(({ width }) => width > 0).map(({ top }) => top));
      if (lines.size > 1) faults.push(word + " is broken in " + describe(text.parentElement));
    }
  }
  return faults;
})()`;
