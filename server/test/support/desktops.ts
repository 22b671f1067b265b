import type { TestContext } from "node:test";
import { Desktop, type DesktopPress, type ShownTexts } from "../doubles/desktop.ts";
import type { ConsolePage } from "./console-page.ts";

/** One desktop per browser of a test, or none at all. */
export interface Desktops {
  /** Opens a browser and gives it its own desktop, or null if there are no desktops. */
  open(openBrowser: (desktop: Desktop | null) => Promise<ConsolePage>): Promise<ConsolePage>;
  /** Presses a button of a notification on the desktop of the page's browser. Rejects if the browser has no desktop. */
  press(page: ConsolePage, press: DesktopPress): Promise<void>;
  /**
   * Resolves once `count` notifications with these texts were shown on the desktop of the page's browser. Rejects if it
   * has none.
   */
  waitForShown(page: ConsolePage, texts: ShownTexts, count: number): Promise<void>;
}

/** No desktops: the browsers show their notifications themselves, or not at all. */
export const NO_DESKTOPS: Desktops = {
  open: (openBrowser) => openBrowser(null),
  press: () => Promise.reject(new Error("This browser shows no buttons without a desktop.")),
  waitForShown: () => Promise.reject(new Error("This browser has no desktop.")),
};

/** Creates desktops, which end with the test. */
export function createDesktops(test: TestContext): Desktops {
  const desktops = new WeakMap<ConsolePage, Desktop>();
  const getDesktop = (page: ConsolePage): Desktop => {
    const desktop = desktops.get(page);
    if (desktop === undefined) throw new Error("The browser of this page has no desktop.");
    return desktop;
  };
  return {
    async open(openBrowser) {
      const desktop = await Desktop.start();
      test.after(() => desktop.close());
      const page = await openBrowser(desktop);
      desktops.set(page, desktop);
      return page;
    },
    press: async (page, press) => getDesktop(page).press(press),
    waitForShown: async (page, texts, count) => getDesktop(page).waitForShown(texts, count),
  };
}
