import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { launch, type Browser, type LaunchOptions, type Page } from "puppeteer-core";
import { BROWSERS, findExecutable } from "../../../scripts/browsers.ts";
import type { Autopush } from "../doubles/autopush.ts";
import type { Desktop } from "../doubles/desktop.ts";
import type { Gcm } from "../doubles/gcm.ts";

/** Options of `launchFirefox`. */
export interface FirefoxOptions {
  /** The push service; without it `subscribe()` in the page fails. */
  readonly autopush?: Autopush;
  /** The desktop that shows the notifications; without it Firefox shows them itself, and without buttons. */
  readonly desktop?: Desktop | null;
}

/** Options of `launchChromium`. */
export interface ChromiumOptions {
  /** The push service; without it `subscribe()` in the page never settles. */
  readonly gcm?: Gcm;
  /** The desktop that shows the notifications; without it Chromium only lists them. */
  readonly desktop?: Desktop | null;
}

const LAUNCH_TIMEOUT_MS = 180_000;
/** Time limit of one command to the browser. */
const COMMAND_TIMEOUT_MS = 120_000;
const CLOSE_TIMEOUT_MS = 10_000;

/** Starts a headless Firefox. If none is installed, rejects with how to install it. */
export async function launchFirefox(options: FirefoxOptions = {}): Promise<TestBrowser> {
  const executablePath = findExecutable(BROWSERS.firefox);
  const { autopush, desktop = null } = options;
  const extraPrefsFirefox = {
    ...FIREFOX_PREFERENCES,
    "alerts.useSystemBackend": desktop !== null,
    ...createPushPreferences(autopush),
  };
  const env = createEnvironment(desktop);
  // Without this, no test could press a button of a notification, which belongs to the browser itself.
  const args = ["--remote-allow-system-access"];
  return launchWithProfile({ browser: "firefox", executablePath, extraPrefsFirefox, args, env });
}

/** Starts a headless Chromium. If none is installed, rejects with how to install it. */
export async function launchChromium(options: ChromiumOptions = {}): Promise<TestBrowser> {
  const executablePath = findExecutable(BROWSERS.chromium);
  const isRoot = process.getuid?.() === 0;
  return launchWithProfile({
    browser: "chrome",
    executablePath,
    args: [
      "--disable-gpu",
      // In containers /dev/shm is smaller than a page needs.
      "--disable-dev-shm-usage",
      // Chromium refuses to start as root with its sandbox.
      ...(isRoot ? ["--no-sandbox"] : []),
      ...(options.gcm?.flags ?? []),
    ],
    // Push is background networking.
    ignoreDefaultArgs: ["--disable-background-networking"],
    env: createEnvironment(options.desktop ?? null),
  });
}

/** Returns the environment of a browser that sends its notifications to the desktop. */
function createEnvironment(desktop: Desktop | null): NodeJS.ProcessEnv {
  if (desktop === null) return process.env;
  return { ...process.env, DBUS_SESSION_BUS_ADDRESS: desktop.address };
}

/** A browser with its own profile. Every site may show notifications. */
export class TestBrowser {
  readonly #options: LaunchOptions;
  #browser: Browser | null = null;

  /** Takes ownership of the profile's folder and removes it on `close`. */
  constructor(options: LaunchOptions & { readonly userDataDir: string }) {
    this.#options = options;
  }

  /** Opens a page. Throws if the browser is stopped. */
  async newPage(): Promise<Page> {
    if (this.#browser === null) throw new Error("The browser is stopped.");
    return this.#browser.newPage();
  }

  /** Starts the browser, or restarts it with the same profile. */
  async start(): Promise<void> {
    this.#browser = await launch(this.#options);
  }

  /** Stops the browser as its user would. Its profile stays for the next start. */
  async stop(): Promise<void> {
    const browser = this.#browser;
    this.#browser = null;
    if (browser !== null) await closeBrowser(browser);
  }

  /** Stops the browser and removes its profile. Safe to repeat. */
  async close(): Promise<void> {
    await this.stop();
    // The browser's last process may still be writing.
    const retries = { maxRetries: 10, retryDelay: 100 };
    await rm(this.#options.userDataDir ?? "", { recursive: true, force: true, ...retries });
  }
}

/** The value with which Firefox allows a permission. */
const FIREFOX_ALLOW = 1;

/** Preferences that let a headless Firefox show notifications, as `about:config` names them. */
const FIREFOX_PREFERENCES = {
  "permissions.default.desktop-notification": FIREFOX_ALLOW,
  "dom.webnotifications.requireuserinteraction": false,
};

function createPushPreferences(autopush: Autopush | undefined): Readonly<Record<string, unknown>> {
  if (autopush === undefined) return {};
  return {
    "dom.push.serverURL": autopush.url,
    "dom.push.testing.allowInsecureServerURL": true,
    // Puppeteer's own preferences switch the connection off.
    "dom.push.connection.enabled": true,
    // By default Firefox waits 5 s before it reconnects.
    "dom.push.retryBaseInterval": 100,
  };
}

async function launchWithProfile(options: LaunchOptions): Promise<TestBrowser> {
  const userDataDir = await mkdtemp(join(tmpdir(), "tocsin-browser-"));
  const timeouts = { timeout: LAUNCH_TIMEOUT_MS, protocolTimeout: COMMAND_TIMEOUT_MS };
  const testBrowser = new TestBrowser({ headless: true, ...timeouts, ...options, userDataDir });
  try {
    if (options.browser === "chrome") await allowNotifications(userDataDir);
    await testBrowser.start();
    return testBrowser;
  } catch (error) {
    await testBrowser.close();
    throw error;
  }
}

/** The value with which Chromium's profile allows a permission. */
const CHROMIUM_ALLOW = 1;

/** Allows notifications for every site in a new profile, because a test does not know every origin in advance. */
async function allowNotifications(userDataDir: string): Promise<void> {
  const folder = join(userDataDir, "Default");
  const contentSettings = { notifications: CHROMIUM_ALLOW };
  const preferences = { profile: { default_content_setting_values: contentSettings } };
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "Preferences"), JSON.stringify(preferences));
}

/** Asks the browser to close, and kills it if it does not. */
async function closeBrowser(browser: Browser): Promise<void> {
  const browserProcess = browser.process();
  const controller = new AbortController();
  const timeout = setTimeout(CLOSE_TIMEOUT_MS, "late" as const, { signal: controller.signal });
  const winner = await Promise.race([browser.close(), timeout.catch(() => "late" as const)]);
  controller.abort();
  if (winner === "late") browserProcess?.kill("SIGKILL");
}
