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
import { translated, translatedSelector, type SpokenLanguage } from "./translated.ts";

/** A browser on a busy machine. */
const PATIENCE_MS = 60_000;
/** Its worker takes one message after the other, and each of them starts late there. */
const SHOWN_PATIENCE_MS = 180_000;
const LOOK_EVERY_MS = 50;
const CLICK_ATTEMPTS = 6;
/** Wide enough for the navigation beside the page. */
const DESKTOP = { width: 1280, height: 900 };

/** A notification that the browser shows, as its worker reads it. */
export interface Shown {
  readonly title: string;
  readonly body: string;
  /** Address of the small picture beside the text. */
  readonly icon: string;
  readonly tag: string;
  readonly requireInteraction: boolean;
  readonly data: { readonly id: string; readonly navigate: string; readonly link: string | null };
}

/** The console in a browser, used as a person would; it notes all that a person would not want to find in its logs. */
export class ConsolePage {
  readonly page: Page;
  /** Says whether the browser is about to show what it was sent, where it tells. */
  isShowing = (): boolean => false;
  readonly #origin: string;
  readonly #complaints: string[] = [];
  #language: SpokenLanguage = "en";

  /** Opens a link of the server, or its first page. */
  static async open(browser: Pick<TestBrowser, "newPage">, link: string): Promise<ConsolePage> {
    const page = await browser.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    await page.setViewport(DESKTOP);
    const opened = new ConsolePage(page, new URL(link).origin);
    page.browser().on("targetcreated", (target: Target) => void opened.#watchWorker(target));
    await page.evaluateOnNewDocument(REPORT_VIOLATIONS);
    await page.goto(link);
    return opened;
  }

  private constructor(page: Page, origin: string) {
    this.page = page;
    this.#origin = origin;
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warn") this.#note(message.text());
    });
    page.on("pageerror", (error) => this.#note(`uncaught: ${String(error)}`));
    page.on("request", (request) => this.#look(request.url()));
    page.on("requestfailed", (request) => this.#lookAtFailure(request));
    page.on("response", (response) => {
      if (response.status() >= 400) this.#note(`${response.status()} of ${response.url()}`);
    });
  }

  /** Errors and warnings of the console, broken policies, requests that failed or left for another host. */
  get complaints(): readonly string[] {
    return this.#complaints;
  }

  /** Shows the console in a language, once a page of it is loaded anew; what is looked for by English texts is found all the same. */
  async speak(language: SpokenLanguage): Promise<void> {
    this.#language = language;
    await this.page.evaluate(`localStorage.setItem("tocsin.language", "${language}")`);
  }

  /** Fills in a form, by the ids of its inputs. */
  async fillIn(values: Readonly<Record<string, string>>): Promise<void> {
    for (const [id, value] of Object.entries(values)) await this.page.locator(`#${id}`).fill(value);
  }

  /** Presses a button, or an item of an opened menu, by its name, once it is there. */
  async press(name: string): Promise<void> {
    const path = buttonNamed(translated(name, this.#language));
    await this.#click(`::-p-xpath(${path})`, uncover(path));
  }

  /** Follows a link by its name, once it is there. */
  async follow(name: string): Promise<void> {
    await this.#click(`::-p-aria([name="${translated(name, this.#language)}"][role="link"])`);
  }

  /** Follows a link of the navigation by its name; what stands in it beside the name does not matter. */
  async go(name: string): Promise<void> {
    await this.#click(`nav a ::-p-text(${translated(name, this.#language)})`);
  }

  /** Resolves with the text of an element, once it is there. */
  async see(selector: string): Promise<string> {
    const element = await this.find(selector).waitHandle();
    const text: unknown = await (await element.getProperty("innerText")).jsonValue();
    return String(text);
  }

  /** Returns how to come at an element by its selector. */
  find(selector: string): Locator<Element> {
    return this.page.locator(translatedSelector(selector, this.#language));
  }

  /** Resolves once no element is there any more. */
  async miss(selector: string): Promise<void> {
    await this.page.waitForSelector(translatedSelector(selector, this.#language), { hidden: true });
  }

  /** Resolves with all notifications that this browser shows, once one has the tag. */
  async shown(tag: string): Promise<readonly Shown[]> {
    let shown: readonly Shown[] = [];
    for (let waitedMs = 0; waitedMs < SHOWN_PATIENCE_MS; waitedMs += LOOK_EVERY_MS) {
      if (!this.isShowing()) shown = await this.#shown();
      if (shown.some((one) => one.tag === tag)) return shown;
      await pause(LOOK_EVERY_MS);
    }
    throw new Error(`No notification ${tag} is shown, but ${JSON.stringify(shown)}.`);
  }

  /** Ends the subscription behind the console's back, as a browser does by itself. */
  async unsubscribe(): Promise<void> {
    await this.page.evaluate(UNSUBSCRIBE);
  }

  /** Leaves the console; its worker stays. */
  async leave(): Promise<void> {
    await this.page.goto("about:blank");
  }

  /**
   * Clicks what a selector finds, after an expression that brings it to the front. Where a page draws it anew just then, Puppeteer
   * waits for ever for what it found before: what was not clicked is looked for again.
   */
  async #click(selector: string, front: string | null = null): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      let isClicked = false;
      const found = this.page
        .locator(selector)
        .setTimeout(PATIENCE_MS / CLICK_ATTEMPTS)
        .on(LocatorEvent.Action, () => (isClicked = true));
      try {
        if (front !== null) {
          await found.wait();
          await this.page.evaluate(front);
        }
        await found.click();
        return;
      } catch (error) {
        if (isClicked || attempt === CLICK_ATTEMPTS) throw error;
      }
    }
  }

  async #shown(): Promise<readonly Shown[]> {
    const shown: unknown = await this.page.evaluate(SHOWN);
    // The expression made the list.
    return shown as readonly Shown[];
  }

  /** Only Chromium lets one listen to workers. One that ends before it is listened to had nothing to say. */
  async #watchWorker(target: Target): Promise<void> {
    if (target.type() !== TargetType.SERVICE_WORKER) return;
    try {
      const worker = await target.worker();
      worker?.on("console", (message) => this.#note(`the worker says: ${message.text()}`));
      worker?.on("error", (error) => this.#note(`uncaught in the worker: ${String(error)}`));
      worker?.client.on("Network.requestWillBeSent", ({ request }) => this.#look(request.url));
      await worker?.client.send("Network.enable");
    } catch (error) {
      if (!saysThatItEnded(error)) throw error;
    }
  }

  #look(url: string): void {
    // Firefox draws the signs of lists with a font of its own; the policy lets no page bring one along.
    if (url.startsWith("data:font/")) return;
    if (new URL(url).origin !== this.#origin) this.#note(`a request to ${url}`);
  }

  #lookAtFailure(request: HTTPRequest): void {
    const reason = request.failure()?.errorText ?? "";
    // Leaving a page aborts its requests, and Chromium reports that even for streams that were read to their end.
    if (!/ABORTED/.test(reason)) this.#note(`${reason} at ${request.url()}`);
  }

  #note(complaint: string): void {
    this.#complaints.push(complaint);
  }
}

/** Of a worker, or of its browser: Puppeteer exports no class for it. */
function saysThatItEnded(error: unknown): boolean {
  return (
    error instanceof ProtocolError &&
    /no target with given id|session with given id|closed/i.test(error.message)
  );
}

/**
 * As XPath: two questions about roles at once would make Firefox compute the names of a whole page again and again.
 * Spaces do not count: between two parts of a name there may be none, where a style parts them.
 */
function buttonNamed(name: string): string {
  const text = name.includes('"') ? `'${name}'` : `"${name}"`;
  const isPressed = 'self::button or @role="button" or @role="menuitem"';
  const isNamed = `@aria-label=${text} or (not(@aria-label) and ${bare(".")}=${bare(text)})`;
  return `//*[(${isPressed}) and (${isNamed})]`;
}

function bare(text: string): string {
  return `translate(normalize-space(${text}), " ", "")`;
}

/** A click goes to whatever is in front, such as the bar at the bottom of a phone: as a person would, scrolls past it. */
function uncover(path: string): string {
  return `{
    const { singleNodeValue: button } = document.evaluate(${JSON.stringify(path)}, document, null, 9);
    const { left, top, width, height } = button?.getBoundingClientRect() ?? {};
    const front = button && document.elementFromPoint(left + width / 2, top + height / 2);
    if (front && !button.contains(front)) button.scrollIntoView({ block: "center" });
  }`;
}

/** Firefox tells nobody else of what a policy stopped. */
const REPORT_VIOLATIONS = `addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) =>
  console.error("policy:", violatedDirective, blockedURI))`;

const SHOWN = `navigator.serviceWorker.ready
  .then((registration) => registration.getNotifications())
  .then((all) => all.map(({ title, body, icon, tag, requireInteraction, data }) =>
    ({ title, body, icon, tag, requireInteraction, data })))`;

const UNSUBSCRIBE = `navigator.serviceWorker.ready
  .then(({ pushManager }) => pushManager.getSubscription())
  .then((subscription) => subscription.unsubscribe())`;
