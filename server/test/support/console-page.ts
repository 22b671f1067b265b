import { setTimeout as pause } from "node:timers/promises";
import {
  LocatorEvent,
  ProtocolError,
  TargetType,
  type Locator,
  type HTTPRequest,
  type Page,
  type Target,
} from "puppeteer-core";
import type { TestBrowser } from "./browsers.ts";
import { translate, translateSelector, type ConsoleLanguage } from "./translate.ts";

/** Time limit of a browser action on a busy machine. */
const ACTION_TIMEOUT_MS = 60_000;
/** Time limit of a notification: longer, because the service worker handles messages one after another and starts slowly. */
const NOTIFICATION_TIMEOUT_MS = 180_000;
const POLL_INTERVAL_MS = 50;
const CLICK_ATTEMPTS = 6;
/** A viewport that is wide enough to show the navigation next to the page. */
const DESKTOP_VIEWPORT = { width: 1280, height: 900 };

/** A notification that the browser shows, as its service worker reads it. */
export interface ShownNotification {
  readonly title: string;
  readonly body: string;
  /** URL of the small image next to the text. */
  readonly icon: string;
  readonly tag: string;
  readonly requireInteraction: boolean;
  readonly data: { readonly id: string; readonly navigate: string; readonly link: string | null };
}

/** The console in a browser, used as a person would. Records errors, warnings and unexpected requests. */
export class ConsolePage {
  readonly tab: Page;
  /** Returns whether listing the notifications now, after `waitedMs` of waiting, could make the browser drop one. */
  mayDropNotifications: (waitedMs: number) => boolean = () => false;
  readonly #origin: string;
  readonly #errors: string[] = [];
  #language: ConsoleLanguage = "en";

  /** Opens a URL of the server. */
  static async open(browser: Pick<TestBrowser, "newPage">, link: string): Promise<ConsolePage> {
    const page = await browser.newPage();
    page.setDefaultTimeout(ACTION_TIMEOUT_MS);
    await page.setViewport(DESKTOP_VIEWPORT);
    const consolePage = new ConsolePage(page, new URL(link).origin);
    page.browser().on("targetcreated", (target: Target) => void consolePage.#watchWorker(target));
    await page.evaluateOnNewDocument(REPORT_VIOLATIONS);
    await page.goto(link);
    return consolePage;
  }

  private constructor(page: Page, origin: string) {
    this.tab = page;
    this.#origin = origin;
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warn") this.#record(message.text());
    });
    page.on("pageerror", (error) => this.#record(`uncaught: ${String(error)}`));
    page.on("request", (request) => this.#checkOrigin(request.url()));
    page.on("requestfailed", (request) => this.#recordFailure(request));
    page.on("response", (response) => {
      if (response.status() >= 400) this.#record(`${response.status()} of ${response.url()}`);
    });
  }

  /** Errors and warnings of the browser's console, policy violations, and requests that failed or went to another host. */
  get consoleErrors(): readonly string[] {
    return this.#errors;
  }

  /** Switches the console's language from the next page load on. Selectors still use English texts. */
  async setLanguage(language: ConsoleLanguage): Promise<void> {
    this.#language = language;
    await this.tab.evaluate(`localStorage.setItem("tocsin.language", "${language}")`);
  }

  /** Fills in a form by the ids of its inputs. */
  async fillIn(values: Readonly<Record<string, string>>): Promise<void> {
    for (const [id, value] of Object.entries(values)) await this.tab.locator(`#${id}`).fill(value);
  }

  /** Presses a button or a menu item by its name, once it is present. */
  async press(name: string): Promise<void> {
    const path = createButtonXPath(translate(name, this.#language));
    await this.#click(`::-p-xpath(${path})`, createScrollExpression(path));
  }

  /** Follows a link by its name, once it is present. */
  async followLink(name: string): Promise<void> {
    await this.#click(`::-p-aria([name="${translate(name, this.#language)}"][role="link"])`);
  }

  /** Follows a navigation link by its name; it may contain further text, such as a badge. */
  async navigate(name: string): Promise<void> {
    await this.#click(`nav a ::-p-text(${translate(name, this.#language)})`);
  }

  /** Resolves with the text of an element, once it is present. */
  async waitFor(selector: string): Promise<string> {
    const element = await this.find(selector).waitHandle();
    const text: unknown = await (await element.getProperty("innerText")).jsonValue();
    return String(text);
  }

  /** Returns a locator for a selector. */
  find(selector: string): Locator<Element> {
    return this.tab.locator(translateSelector(selector, this.#language));
  }

  /** Resolves when no visible element matches the selector. */
  async waitUntilGone(selector: string): Promise<void> {
    await this.tab.waitForSelector(translateSelector(selector, this.#language), { hidden: true });
  }

  /** Resolves with all notifications that the browser shows, once one of them has the tag. */
  async waitForNotification(tag: string): Promise<readonly ShownNotification[]> {
    let shown: readonly ShownNotification[] = [];
    for (let waitedMs = 0; waitedMs < NOTIFICATION_TIMEOUT_MS; waitedMs += POLL_INTERVAL_MS) {
      if (!this.mayDropNotifications(waitedMs)) shown = await this.#listNotifications();
      if (shown.some((notification) => notification.tag === tag)) return shown;
      await pause(POLL_INTERVAL_MS);
    }
    throw new Error(`No notification ${tag} is shown. Shown: ${JSON.stringify(shown)}.`);
  }

  /** Ends the push subscription without the console, as a browser may do. */
  async unsubscribe(): Promise<void> {
    await this.tab.evaluate(UNSUBSCRIBE_EXPRESSION);
  }

  /** Leaves the console. Its service worker stays. */
  async leave(): Promise<void> {
    await this.tab.goto("about:blank");
  }

  /**
   * Clicks the element of a selector, after an expression that scrolls it into view. Makes up to `CLICK_ATTEMPTS`
   * attempts: if the page replaces the element meanwhile, Puppeteer waits for the old one until the timeout.
   */
  async #click(selector: string, scrollExpression: string | null = null): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      let isClicked = false;
      const element = this.tab
        .locator(selector)
        .setTimeout(ACTION_TIMEOUT_MS / CLICK_ATTEMPTS)
        .on(LocatorEvent.Action, () => (isClicked = true));
      try {
        if (scrollExpression !== null) {
          await element.wait();
          await this.tab.evaluate(scrollExpression);
        }
        await element.click();
        return;
      } catch (error) {
        if (isClicked || attempt === CLICK_ATTEMPTS) throw error;
      }
    }
  }

  async #listNotifications(): Promise<readonly ShownNotification[]> {
    const notifications: unknown = await this.tab.evaluate(LIST_NOTIFICATIONS_EXPRESSION);
    // The expression returns this list.
    return notifications as readonly ShownNotification[];
  }

  /**
   * Records the console messages, the errors and the requests to other origins of a service worker, in Chromium only. A
   * worker that has already ended is ignored.
   */
  async #watchWorker(target: Target): Promise<void> {
    if (target.type() !== TargetType.SERVICE_WORKER) return;
    try {
      const worker = await target.worker();
      worker?.on("console", (message) => this.#record(`worker: ${message.text()}`));
      worker?.on("error", (error) => this.#record(`uncaught in the worker: ${String(error)}`));
      worker?.client.on("Network.requestWillBeSent", ({ request }) =>
        this.#checkOrigin(request.url),
      );
      await worker?.client.send("Network.enable");
    } catch (error) {
      if (!isTargetClosed(error)) throw error;
    }
  }

  #checkOrigin(url: string): void {
    // Firefox renders list markers with its own font; the Content Security Policy allows no other fonts.
    if (url.startsWith("data:font/")) return;
    if (new URL(url).origin !== this.#origin) this.#record(`a request to ${url}`);
  }

  #recordFailure(request: HTTPRequest): void {
    const reason = request.failure()?.errorText ?? "";
    // Leaving a page aborts its requests. Chromium reports this even for completely read streams.
    if (!/ABORTED/.test(reason)) this.#record(`${reason} at ${request.url()}`);
  }

  #record(error: string): void {
    this.#errors.push(error);
  }
}

/** Returns whether a worker or its browser has ended; Puppeteer exports no class for this error. */
function isTargetClosed(error: unknown): boolean {
  return (
    error instanceof ProtocolError &&
    /no target with given id|session with given id|closed/i.test(error.message)
  );
}

/**
 * Returns an XPath, because a selector with two roles makes Firefox compute the names of the whole page repeatedly. Spaces
 * are ignored, because parts of a name may be separated only by style.
 */
function createButtonXPath(name: string): string {
  const text = name.includes('"') ? `'${name}'` : `"${name}"`;
  const isButton = 'self::button or @role="button" or @role="menuitem"';
  const isNamed = `@aria-label=${text} or (not(@aria-label) and ${removeSpaces(".")}=${removeSpaces(text)})`;
  return `//*[(${isButton}) and (${isNamed})]`;
}

function removeSpaces(text: string): string {
  return `translate(normalize-space(${text}), " ", "")`;
}

/** Returns an expression that scrolls a button into view if another element, such as the bottom bar of a phone, covers it. */
function createScrollExpression(path: string): string {
  return `{
    const { singleNodeValue: button } = document.evaluate(${JSON.stringify(path)}, document, null, 9);
    const { left, top, width, height } = button?.getBoundingClientRect() ?? {};
    const front = button && document.elementFromPoint(left + width / 2, top + height / 2);
    if (front && !button.contains(front)) button.scrollIntoView({ block: "center" });
  }`;
}

/** Reports violations of the Content Security Policy to the console, because Firefox reports them only as events. */
const REPORT_VIOLATIONS = `addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) =>
  console.error("policy:", violatedDirective, blockedURI))`;

const LIST_NOTIFICATIONS_EXPRESSION = `navigator.serviceWorker.ready
  .then((registration) => registration.getNotifications())
  .then((all) => all.map(({ title, body, icon, tag, requireInteraction, data }) =>
    ({ title, body, icon, tag, requireInteraction, data })))`;

const UNSUBSCRIBE_EXPRESSION = `navigator.serviceWorker.ready
  .then(({ pushManager }) => pushManager.getSubscription())
  .then((subscription) => subscription.unsubscribe())`;
