import assert from "node:assert/strict";
import type { ElementHandle } from "puppeteer-core";
import type { ConsolePage } from "./console-page.ts";

/** A person who uses only what is on the screen, and counts what it takes: a click is one action, and so is a filled field. */
export class Newcomer {
  readonly page: ConsolePage;
  actions = 0;

  constructor(page: ConsolePage) {
    this.page = page;
  }

  /** Fills in a field that is on the screen, by its id. */
  async fill(id: string, text: string): Promise<void> {
    const field = await this.look(`#${id}`);
    this.actions += 1;
    await field.click();
    await field.type(text);
  }

  /** Presses a button that is on the screen, by its name. */
  async press(name: string): Promise<void> {
    const button = await this.look(`::-p-aria([name="${name}"][role="button"])`);
    this.actions += 1;
    await button.click();
  }

  /** Resolves with what a selector finds once it is there; throws where one would have to scroll to it, or it is covered. */
  async look(selector: string): Promise<ElementHandle> {
    const found = await this.page.page.waitForSelector(selector, { visible: true });
    assert.ok(found !== null);
    // A selector finds an element.
    const placed = found as unknown as ElementHandle<Placed>;
    assert.equal(await placed.evaluate(placeOf), "in reach", selector);
    return found;
  }
}

interface Box {
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
  readonly right: number;
}

/** The part of an element of the page that is asked for; tests are checked without the names of the DOM. */
interface Placed {
  readonly ownerDocument: {
    readonly documentElement: { readonly clientWidth: number; readonly clientHeight: number };
    elementFromPoint(x: number, y: number): { readonly outerHTML: string } | null;
  };
  getBoundingClientRect(): Box;
  contains(other: unknown): boolean;
}

/** Returns where an element is; runs in the page. */
function placeOf(element: Placed): string {
  const { ownerDocument: document } = element;
  const { clientWidth, clientHeight } = document.documentElement;
  const { top, bottom, left, right } = element.getBoundingClientRect();
  if (top < 0 || left < 0 || bottom > clientHeight || right > clientWidth) {
    return `off the screen: ${[left, top, right, bottom].map(Math.round).join(", ")}`;
  }
  const front = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
  return element.contains(front) ? "in reach" : `covered by ${front?.outerHTML.slice(0, 200)}`;
}
