import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { TargetType, type Browser } from "puppeteer-core";
import { Arrivals } from "../doubles/arrivals.ts";
import { Autopush } from "../doubles/autopush.ts";
import { Gcm } from "../doubles/gcm.ts";
import type { PushService } from "../doubles/push-service.ts";
import { launchChromium, launchFirefox } from "./browsers.ts";
import { ConsolePage } from "./console-page.ts";

/** Browsers of one make, with the vendor's push service on this machine; all of it ends with the test. */
export interface PushBrowsers {
  /** Judges what the server sends. */
  readonly service: PushService;
  /** Starts one more, with a profile of its own, at a link of the server. */
  open(link: string): Promise<ConsolePage>;
  /** Resolves once the browsers have ended `count` subscriptions in all: a page does not wait for that. */
  unsubscribed(count: number): Promise<void>;
  /** Resolves once the browsers have said that their workers took `count` messages, if this make says so. */
  taken(count: number): Promise<void>;
  /** Goes to the page of the notification with this tag: by a click on its button, where the click on itself opens its link. */
  follow(page: ConsolePage, tag: string): Promise<void>;
  /** Clicks on the notification with this tag; resolves with the addresses that the worker opened a window for. */
  opened(page: ConsolePage, tag: string): Promise<readonly string[]>;
}

/** The makes of browser that the console is for. */
export const PUSH_BROWSERS = {
  Firefox: startFirefox,
  Chromium: startChromium,
} as const satisfies Record<string, (test: TestContext) => Promise<PushBrowsers>>;

/** A browser on a busy machine. */
const PATIENCE = { timeoutMs: 60_000 };

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
      assert.deepEqual([...new Set(receipts.map(({ code }) => code))], [100]);
    },
    // Headless, nobody can click; the address is the same.
    follow: async (page, tag) => {
      const shown = (await page.shown(tag)).find((one) => one.tag === tag);
      await page.page.goto(shown?.data.navigate ?? "");
    },
    opened: () => Promise.reject(new Error("Firefox shows its workers to nobody.")),
  };
}

async function startChromium(test: TestContext): Promise<PushBrowsers> {
  const gcm = await Gcm.start();
  const endings = new Arrivals<string>("push events that a worker has ended");
  test.after(() => {
    // A message that is not shown may never have arrived, or the worker may have failed.
    const events = `push events: ${endings.all.join(", ")}`;
    if (!test.passed) test.diagnostic([...gcm.history, events].join("\n"));
    return gcm.close();
  });
  return {
    service: gcm.service,
    open: async (link) => {
      const chromium = await launchChromium({ gcm });
      test.after(() => chromium.close());
      const page = await ConsolePage.open(chromium, link);
      await recordPushes(page, (ending) => endings.add(ending));
      return page;
    },
    unsubscribed: (count) => gcm.unsubscribed(count, PATIENCE),
    taken: async (count) => {
      const all = await endings.received(count, PATIENCE);
      assert.deepEqual([...new Set(all)], ["Success"]);
    },
    follow: async ({ page }, tag) => {
      await clickInWorker(page.browser(), { tag, action: "details" });
    },
    opened: ({ page }, tag) => clickInWorker(page.browser(), { tag, action: "" }),
  };
}

/** Its push service is not told what becomes of a message; its developer tools are. */
async function recordPushes(opened: ConsolePage, onEnd: (ending: string) => void): Promise<void> {
  const tools = await opened.page.createCDPSession();
  const service = "pushMessaging";
  let underWay = 0;
  // Asking for the shown notifications makes Chromium forget those that are stored and not on the screen yet.
  opened.isShowing = () => underWay > 0;
  tools.on("BackgroundService.backgroundServiceEventReceived", ({ backgroundServiceEvent }) => {
    const { eventName, eventMetadata } = backgroundServiceEvent;
    if (eventName === "Push message received") underWay += 1;
    if (eventName !== "Push event completed") return;
    underWay -= 1;
    onEnd(eventMetadata.find(({ key }) => key === "Status")?.value ?? "");
  });
  await tools.send("BackgroundService.startObserving", { service });
  await tools.send("BackgroundService.setRecording", { shouldRecord: true, service });
}

interface WorkerClick {
  readonly tag: string;
  readonly action: string;
}

async function clickInWorker(browser: Browser, click: WorkerClick): Promise<readonly string[]> {
  const target = await browser.waitForTarget((one) => one.type() === TargetType.SERVICE_WORKER);
  const worker = await target.worker();
  const opened: unknown = await worker?.evaluate(clickOn(click));
  // The expression made the list.
  return opened as readonly string[];
}

/**
 * An event that no person caused can neither be prolonged, nor take the focus, nor open a window: what it would open is noted. All
 * else is the worker's own way.
 */
function clickOn({ tag, action }: WorkerClick): string {
  return `registration.getNotifications({ tag: ${JSON.stringify(tag)} }).then(async ([notification]) => {
    const opened = [];
    clients.openWindow = async (url) => (opened.push(url), null);
    const click = new NotificationEvent("notificationclick", { notification, action: ${JSON.stringify(action)} });
    let work = Promise.resolve();
    click.waitUntil = (given) => void (work = given.catch(() => {}));
    dispatchEvent(click);
    await work;
    return opened;
  })`;
}
