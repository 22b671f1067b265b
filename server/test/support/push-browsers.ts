import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { CDPSession } from "puppeteer-core";
import { Autopush } from "../doubles/autopush.ts";
import { Gcm } from "../doubles/gcm.ts";
import type { PushService } from "../doubles/push-service.ts";
import { launchChromium, launchFirefox, type TestBrowser } from "./browsers.ts";
import { ConsolePage, type Shown } from "./console-page.ts";

/** A browser of one make with its vendor's push service on this machine; all of it ends with the test. */
export interface PushBrowsers {
  /** Judges what the server sends. */
  readonly service: PushService;
  /** Starts one, with a profile of its own, at a link of the server. */
  open(link: string): Promise<ConsolePage>;
  /** Resolves once all browsers together have ended `count` subscriptions. */
  unsubscribed(count: number): Promise<void>;
  /** Resolves once all browsers together have said of `count` messages that their workers took them, if they say so. */
  taken(count: number): Promise<void>;
  /** Follows a notification that is shown to where it leads. */
  follow(page: ConsolePage, shown: Shown): Promise<void>;
}

/** Every make of browser that the console is for, by its name. */
export const PUSH_BROWSERS: Readonly<Record<string, (test: TestContext) => Promise<PushBrowsers>>> =
  { Firefox: startFirefox, Chromium: startChromium };

const PATIENCE = { timeoutMs: 20_000 };

async function startFirefox(test: TestContext): Promise<PushBrowsers> {
  const autopush = await Autopush.start();
  test.after(() => autopush.close());
  return {
    service: autopush.service,
    open: async (link) => {
      const firefox = await launchFirefox({ autopush });
      test.after(() => firefox.close());
      return ConsolePage.open(firefox, link);
    },
    unsubscribed: (count) => autopush.unsubscribed(count, PATIENCE),
    taken: async (count) => {
      const receipts = await autopush.receipts.received(count, PATIENCE);
      assert.deepEqual(new Set(receipts.map(({ code }) => code)), new Set([100]));
    },
    // Nothing clicks on what headless Firefox shows.
    follow: async ({ page }, { data }) => {
      await page.goto(data.navigate);
    },
  };
}

async function startChromium(test: TestContext): Promise<PushBrowsers> {
  const gcm = await Gcm.start();
  test.after(() => gcm.close());
  const workers = new Map<ConsolePage, CDPSession>();
  return {
    service: gcm.service,
    open: async (link) => {
      const chromium = await launchChromium({ gcm });
      test.after(() => chromium.close());
      const page = await ConsolePage.open(chromium, link);
      return page;
    },
    unsubscribed: (count) => gcm.unsubscribed(count, PATIENCE),
    // It tells Google nothing of that.
    taken: async () => {},
    follow: async (page, { tag }) => {
      await workers.get(page)?.send("Runtime.evaluate", { expression: tag });
    },
  };
}
export type { TestBrowser };
