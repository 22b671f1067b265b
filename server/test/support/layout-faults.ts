import type { Page } from "puppeteer-core";

/**
 * Waits until a page keeps its size. Returns its layout faults: elements that are wider than the screen or outside it, and
 * text that has no room for a letter or for a word of normal length.
 */
export async function findLayoutFaults(page: Page): Promise<readonly string[]> {
  const faults: unknown = await page.evaluate(FIND_LAYOUT_FAULTS);
  // The expression returns this list.
  return faults as readonly string[];
}

/** The minimum width of a letter. */
const READABLE_PX = 3;
/** The length of "Benachrichtigungen", which fits into every column. User-chosen names may be longer. */
const WORD_CHARACTERS = 18;

const FIND_LAYOUT_FAULTS = `(async () => {
  const frame = () => new Promise(requestAnimationFrame);
  const root = document.documentElement;
  // Elements may be wide while they load.
  for (let still = 0, before = ""; still < 6; ) {
    await frame();
    const now = [root.scrollWidth, root.scrollHeight].join();
    const isLoading = document.querySelector('main [role="status"][aria-label]') !== null;
    still = now === before && !isLoading ? still + 1 : 0;
    before = now;
  }
  const faults = [];
  const textOf = (one) => one.outerHTML.slice(0, 120);
  if (root.scrollWidth > root.clientWidth) {
    const widest = [...document.querySelectorAll("body *")]
      .map((one) => [one.getBoundingClientRect().right, one]).toSorted(([a], [b]) => b - a)[0];
    faults.push("the page is " + root.scrollWidth + " px wide, as far as " + textOf(widest[1]));
  }
  for (const one of document.querySelectorAll('[role="dialog"], [role="menu"], [role="listbox"], [role="alert"]')) {
    const { left, right, width } = one.getBoundingClientRect();
    if (width > 0 && (left < -1 || right > root.clientWidth + 1))
      faults.push("from " + left + " to " + right + " px stands " + textOf(one));
    if (width > 0 && getComputedStyle(one).overflowX !== "visible" && one.scrollWidth > one.clientWidth + 1)
      faults.push(one.scrollWidth + " px are in " + one.clientWidth + " of " + textOf(one));
  }
  for (const one of document.querySelectorAll("main *")) {
    const hasText = [...one.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== "");
    const { width, height } = one.getBoundingClientRect();
    const isAside = getComputedStyle(one).position === "absolute";
    if (hasText && !isAside && height > 0 && width < ${READABLE_PX})
      faults.push(width + " px are left for " + textOf(one));
  }
  const isForReaders = (one) => one !== null && (getComputedStyle(one).clipPath !== "none" || isForReaders(one.parentElement));
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
    if (!text.parentElement.checkVisibility() || text.parentElement.closest("code, pre") !== null || isForReaders(text.parentElement)) continue;
    for (const { index, 0: word } of text.data.matchAll(/(?<![^\\s(„“])[\\p{L}\\p{N}]{2,${WORD_CHARACTERS}}(?![^\\s).,:;!?“])/gu)) {
      const range = document.createRange();
      range.setStart(text, index);
      range.setEnd(text, index + word.length);
      const lines = new Set([...range.getClientRects()].filter(({ width }) => width > 0).map(({ top }) => top));
      if (lines.size > 1) faults.push(word + " is broken in " + textOf(text.parentElement));
    }
  }
  return faults;
})()`;
