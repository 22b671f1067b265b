import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { TargetType, type Browser } from "puppeteer-core";
import { Arrivals } from "../doubles/arrivals.ts";
import { Autopush } from "../doubles/autopush.ts";
import { Gcm } from "../doubles/gcm.ts";
import type { PushService } from "../doubles/push-service.ts";
import { launchChromium, launchFirefox } from "./browsers.ts";
import { ConsolePage } from "./console-page.ts";

/** Browsers of one vendor with a local push service. Everything ends with the test. */
export interface PushBrowsers {
  /** Validates the server's messages. */
  readonly service: PushService;
  /** Starts another browser with its own profile at a URL of the server. */
  open(link: string): Promise<ConsolePage>;
  /** Resolves when the browsers have ended `count` subscriptions in total. A page does not wait for that. */
  waitForUnsubscribed(count: number): Promise<void>;
  /** Resolves when the browsers' workers have handled `count` messages successfully. */
  waitForHandled(count: number): Promise<void>;
  /** Opens the page of the notification with this tag. Presses its button, as a click on the notification may open its link. */
  openNotification(page: ConsolePage, tag: string): Promise<void>;
  /** Clicks on the notification with this tag. Resolves with the URLs of the windows that the worker opened. */
  clickNotification(page: ConsolePage, tag: string): Promise<readonly string[]>;
}

/** The supported browsers. */
export const PUSH_BROWSERS = {
  Firefox: startFirefox,
  Chromium: startChromium,
} as const satisfies Record<string, (test: TestContext) => Promise<PushBrowsers>>;

/** Long enough for a browser on a busy machine. */
const WAIT_OPTIONS = { timeoutMs: 60_000 };
/** Time in which Chromium displays a notification after its push event. */
const DISPLAY_DELAY_MS = 250;
/** Time in which an awaited message reaches the browser. After that, it may be a message that was already listed. */
const ARRIVAL_MS = 1_500;

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
    waitForUnsubscribed: (count) => autopush.waitForEndedSubscriptions(count, WAIT_OPTIONS),
    waitForHandled: async (count) => {
      const receipts = await autopush.receipts.waitForCount(count, WAIT_OPTIONS);
      assert.deepEqual([...new Set(receipts.map(({ code }) => code))], [100]);
    },
    // A headless Firefox has no notification to click on; the URL is the same.
    openNotification: async (page, tag) => {
      const shownNotification = (await page.waitForNotification(tag)).find(
        (notification) => notification.tag === tag,
      );
      await page.tab.goto(shownNotification?.data.navigate ?? "");
    },
    clickNotification: () => Promise.reject(new Error("Firefox does not expose its workers.")),
  };
}

async function startChromium(test: TestContext): Promise<PushBrowsers> {
  const gcm = await Gcm.start();
  const pushResults = new Arrivals<string>("push events that a worker has ended");
  test.after(() => {
    // A message that is not shown was lost, or the worker failed.
    const events = `push events: ${pushResults.all.join(", ")}`;
    if (!test.passed) test.diagnostic([...gcm.history, events].join("\n"));
    return gcm.close();
  });
  return {
    service: gcm.service,
    open: async (link) => {
      const chromium = await launchChromium({ gcm });
      test.after(() => chromium.close());
      const page = await ConsolePage.open(chromium, link);
      await recordPushes(page, (result) => pushResults.add(result));
      return page;
    },
    waitForUnsubscribed: (count) => gcm.waitForEndedSubscriptions(count, WAIT_OPTIONS),
    waitForHandled: async (count) => {
      const results = await pushResults.waitForCount(count, WAIT_OPTIONS);
      assert.deepEqual([...new Set(results)], ["Success"]);
    },
    openNotification: async ({ tab }, tag) => {
      await clickInWorker(tab.browser(), { tag, action: "details" });
    },
    clickNotification: ({ tab }, tag) => clickInWorker(tab.browser(), { tag, action: "" }),
  };
}

/** Records handled messages with the developer tools, because Chromium does not report them to the push service. */
async function recordPushes(page: ConsolePage, onEnd: (result: string) => void): Promise<void> {
  const tools = await page.tab.createCDPSession();
  const service = "pushMessaging";
  let pendingCount = 0;
  let [completedCount, listedCount, completedAt] = [0, 0, Number.NEGATIVE_INFINITY];
  // Listing notifications makes Chromium drop those that are not displayed yet, including one that arrives meanwhile.
  page.mayDropNotifications = (waitedMs) => {
    const isDisplaying = pendingCount > 0 || performance.now() - completedAt < DISPLAY_DELAY_MS;
    const isExpected = completedCount === listedCount && waitedMs < ARRIVAL_MS;
    if (isDisplaying || isExpected) return true;
    listedCount = completedCount;
    return false;
  };
  tools.on("BackgroundService.backgroundServiceEventReceived", ({ backgroundServiceEvent }) => {
    const { eventName, eventMetadata } = backgroundServiceEvent;
    if (eventName === "Push message received") pendingCount += 1;
    if (eventName !== "Push event completed") return;
    pendingCount -= 1;
    completedCount += 1;
    completedAt = performance.now();
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
  const target = await browser.waitForTarget(
    (candidate) => candidate.type() === TargetType.SERVICE_WORKER,
  );
  const worker = await target.worker();
  const urls: unknown = await worker?.evaluate(createClickExpression(click));
  // The expression returns this list.
  return urls as readonly string[];
}

/**
 * Returns an expression that dispatches a click. A synthetic event cannot be extended, take the focus or open a window, so
 * the expression replaces these functions and records the opened URLs.
 */
function createClickExpression({ tag, action }: WorkerClick): string {
  return `registration.getNotifications({ tag: ${JSON.stringify(tag)} }).then(async ([notification]) => {
    const opened = [];
    clients.openWindow = async (url) => (opened.push(url), null);
    const click = new NotificationEvent("notificationclick", { notification, action: ${JSON.stringify(action)} });
    let work = Promise.resolve();
    click.waitUntil = (promise) => void (work = promise.catch(() => {}));
    dispatchEvent(click);
    await work;
    return opened;
  })`;
}
