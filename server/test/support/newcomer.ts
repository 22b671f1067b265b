import assert from "node:assert/strict";
import type { ElementHandle } from "puppeteer-core";
import type { ConsolePage } from "./console-page.ts";

/** A user who acts only on visible elements. Counts actions: each click and each filled field is one. */
export class Newcomer {
  readonly page: ConsolePage;
  actionCount = 0;

  constructor(page: ConsolePage) {
    this.page = page;
  }

  /** Fills in a visible field by its id. */
  async fill(id: string, text: string): Promise<void> {
    const field = await this.findInReach(`#${id}`);
    this.actionCount += 1;
    await field.click();
    await field.type(text);
  }

  /** Presses a visible button by its name. */
  async press(name: string): Promise<void> {
    const button = await this.findInReach(`::-p-aria([name="${name}"][role="button"])`);
    this.actionCount += 1;
    await button.click();
  }

  /** Resolves with an element once it is present. Throws if it is off the screen or covered. */
  async findInReach(selector: string): Promise<ElementHandle> {
    const element = await this.page.tab.waitForSelector(selector, { visible: true });
    assert.ok(element !== null);
    // The selector matches an element.
    const locatable = element as unknown as ElementHandle<LocatableElement>;
    assert.equal(await locatable.evaluate(describeReach), "in reach", selector);
    return element;
  }
}

interface Rectangle {
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
  readonly right: number;
}

/** The used part of a DOM element, because tests are checked without the DOM's types. */
interface LocatableElement {
  readonly ownerDocument: {
    readonly documentElement: { readonly clientWidth: number; readonly clientHeight: number };
    elementFromPoint(x: number, y: number): { readonly outerHTML: string } | null;
  };
  getBoundingClientRect(): Rectangle;
  contains(other: unknown): boolean;
}

/** Returns "in reach", or where an element is instead. Runs in the page. */
function describeReach(element: LocatableElement): string {
  const { ownerDocument: document } = element;
  const { clientWidth, clientHeight } = document.documentElement;
  const { top, bottom, left, right } = element.getBoundingClientRect();
  if (top < 0 || left < 0 || bottom > clientHeight || right > clientWidth) {
    return `off the screen: ${[left, top, right, bottom].map(Math.round).join(", ")}`;
  }
  const topElement = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
  return element.contains(topElement)
    ? "in reach"
    : `covered by ${topElement?.outerHTML.slice(0, 200)}`;
}
