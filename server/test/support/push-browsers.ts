import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { TargetType, type Browser } from "puppeteer-core";
import { Arrivals } from "../doubles/arrivals.ts";
import { RECEIPT_CODES } from "../doubles/autopush-messages.ts";
import { Autopush } from "../doubles/autopush.ts";
import type { DesktopPress, ShownTexts } from "../doubles/desktop.ts";
import { Gcm } from "../doubles/gcm.ts";
import type { PushService } from "../doubles/push-service.ts";
import { launchChromium, launchFirefox } from "./browsers.ts";
import { ConsolePage } from "./console-page.ts";
import { createDesktops, NO_DESKTOPS } from "./desktops.ts";
import { dismissAlert } from "./dismiss-alert.ts";

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
  /** Opens the page of the notification with this tag. A click on the notification might open its link instead. */
  openNotification(page: ConsolePage, tag: string): Promise<void>;
  /** Dismisses the notification with this title. In Chromium, waits until the worker has handled the event. */
  dismissNotification(page: ConsolePage, title: string): Promise<void>;
  /** Clicks on the notification with this tag. Resolves with the URLs of the windows that the worker opened. */
  clickNotification(page: ConsolePage, tag: string): Promise<readonly string[]>;
  /** Presses a button of a notification on the desktop of the page's browser. */
  pressButton(page: ConsolePage, press: DesktopPress): Promise<void>;
  /**
   * Resolves once `count` notifications with these texts were shown on the desktop of the page's browser. Unlike a list
   * in the page, this makes Chromium drop no notification that is not displayed yet.
   */
  waitForShown(page: ConsolePage, texts: ShownTexts, count: number): Promise<void>;
}

/** The supported browsers. */
export const PUSH_BROWSERS = {
  Firefox: startFirefox,
  Chromium: startChromium,
} as const satisfies Record<string, (test: TestContext) => Promise<PushBrowsers>>;

/** The supported browsers, each with a desktop that shows its notifications, so that their buttons can be pressed. */
export const BROWSERS_ON_DESKTOPS = {
  Firefox: (test) => startFirefox(test, createDesktops(test)),
  Chromium: (test) => startChromium(test, createDesktops(test)),
} as const satisfies typeof PUSH_BROWSERS;

/** Long enough for a browser on a busy machine. */
const WAIT_OPTIONS = { timeoutMs: 60_000 };
/** Time in which Chromium displays a notification after its push event. */
const DISPLAY_DELAY_MS = 250;
/** Time in which an awaited message reaches the browser. After that, the message may be one that was listed before. */
const ARRIVAL_MS = 1_500;

async function startFirefox(test: TestContext, desktops = NO_DESKTOPS): Promise<PushBrowsers> {
  const autopush = await Autopush.start();
  test.after(() => autopush.close());
  return {
    service: autopush.service,
    open: (link) =>
      desktops.open(async (desktop) => {
        const firefox = await launchFirefox({ autopush, desktop });
        test.after(() => firefox.close());
        return ConsolePage.open(firefox, link);
      }),
    waitForUnsubscribed: (count) => autopush.waitForEndedSubscriptions(count, WAIT_OPTIONS),
    waitForHandled: async (count) => {
      const receipts = await autopush.receipts.waitForCount(count, WAIT_OPTIONS);
      assert.deepEqual([...new Set(receipts.map(({ code }) => code))], [RECEIPT_CODES.delivered]);
    },
    // A headless Firefox has no notification to click on; the URL is the same.
    openNotification: async (page, tag) => {
      const shownNotification = (await page.waitForNotification(tag)).find(
        (notification) => notification.tag === tag,
      );
      await page.tab.goto(shownNotification?.data.navigate ?? "");
    },
    dismissNotification: ({ tab }, title) => dismissAlert(tab.browser(), title),
    clickNotification: () => Promise.reject(new Error("Firefox does not expose its workers.")),
    pressButton: (page, press) => desktops.press(page, press),
    waitForShown: (page, texts, count) => desktops.waitForShown(page, texts, count),
  };
}

async function startChromium(test: TestContext, desktops = NO_DESKTOPS): Promise<PushBrowsers> {
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
    open: (link) =>
      desktops.open(async (desktop) => {
        const chromium = await launchChromium({ gcm, desktop });
        test.after(() => chromium.close());
        const page = await ConsolePage.open(chromium, link);
        await recordPushes(page, (result) => pushResults.add(result));
        return page;
      }),
    waitForUnsubscribed: (count) => gcm.waitForEndedSubscriptions(count, WAIT_OPTIONS),
    waitForHandled: async (count) => {
      const results = await pushResults.waitForCount(count, WAIT_OPTIONS);
      assert.deepEqual([...new Set(results)], ["Success"]);
    },
    openNotification: async ({ tab }, tag) => {
      await clickInWorker(tab.browser(), { tag, action: "details" });
    },
    dismissNotification: ({ tab }, title) => dismissInWorker(tab.browser(), title),
    clickNotification: ({ tab }, tag) => clickInWorker(tab.browser(), { tag, action: "" }),
    pressButton: (page, press) => desktops.press(page, press),
    waitForShown: (page, texts, count) => desktops.waitForShown(page, texts, count),
  };
}

/** Records handled messages with the developer tools, because Chromium does not report them to the push service. */
async function recordPushes(page: ConsolePage, onEnd: (result: string) => void): Promise<void> {
  const tools = await page.tab.createCDPSession();
  const service = "pushMessaging";
  let pendingCount = 0;
  let completedCount = 0;
  let completedAt = Number.NEGATIVE_INFINITY;
  // The number of completed messages when the notifications were last listed.
  let listedCount = 0;
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

/** A click on a button of a notification; `action` is the id of the button, or empty for the notification itself. */
interface WorkerClick {
  readonly tag: string;
  readonly action: string;
}

async function clickInWorker(browser: Browser, click: WorkerClick): Promise<readonly string[]> {
  // The expression returns this list.
  return (await evaluateInWorker(browser, createClickExpression(click))) as readonly string[];
}

/** Dispatches the event of a dismissal: a headless Chromium has no notification to dismiss. */
async function dismissInWorker(browser: Browser, title: string): Promise<void> {
  const expression = createDismissExpression(title);
  assert.equal(await evaluateInWorker(browser, expression), true, `No "${title}" is shown.`);
}

async function evaluateInWorker(browser: Browser, expression: string): Promise<unknown> {
  const target = await browser.waitForTarget(
    (candidate) => candidate.type() === TargetType.SERVICE_WORKER,
  );
  return (await target.worker())?.evaluate(expression);
}

/**
 * Returns an expression that dispatches a click. A synthetic event cannot be extended or open a window, so the
 * expression replaces these functions and records the opened URLs.
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

function createDismissExpression(title: string): string {
  return `registration.getNotifications().then(async (all) => {
    const notification = all.find((candidate) => candidate.title === ${JSON.stringify(title)});
    if (notification === undefined) return false;
    notification.close();
    // The browser lists a closed notification for a moment, and reports a dismissal only after that.
    while ((await registration.getNotifications({ tag: notification.tag })).length > 0);
    const dismissal = new NotificationEvent("notificationclose", { notification });
    let work = Promise.resolve();
    dismissal.waitUntil = (promise) => void (work = promise);
    dispatchEvent(dismissal);
    await work;
    return true;
  })`;
}
