import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { eventually } from "../support/eventually.ts";

/** A notification shown on the desktop. A replacement has the id of the notification that it replaces. */
export interface DesktopNotification {
  readonly id: number;
  readonly title: string;
  readonly body: string;
  /** The labels of the buttons. */
  readonly buttons: readonly string[];
}

/** Texts by which a test finds a notification on a desktop. */
export interface ShownTexts {
  readonly title: string;
  /** A part of the notification's body. */
  readonly body: string;
}

/** A press on a notification or one of its buttons, named by the texts that a person sees. */
export interface DesktopPress {
  readonly title: string;
  /** A part of the body; absent if the title is enough. */
  readonly body?: string;
  /** Null for a tap on the notification itself. */
  readonly button: string | null;
  /** The text that the person enters for a button that takes one; absent or null for a press alone. */
  readonly reply?: string | null;
}

type Program = ChildProcessByStdio<Writable, Readable, null>;

/** The program of the session bus. Its warnings about limits are ignored, because a test does not reach them. */
const BUS = "dbus-daemon";
/** Debian's Python, which finds Debian's packages. Another Python may come first in the path. */
const PYTHON = "/usr/bin/python3";
const DAEMON = join(import.meta.dirname, "notification-daemon.py");
/** The longest time until a browser on a busy machine shows a pushed notification. */
const SHOWN_MAX_MS = 60_000;
const PACKAGES = "dbus-daemon libnotify4 python3-dbus python3-gi";

/** A desktop without a screen: a session bus, and a notification daemon whose buttons a test presses. */
export class Desktop {
  /** The address of the session bus, for `DBUS_SESSION_BUS_ADDRESS`. */
  readonly address: string;
  readonly #bus: Program;
  readonly #daemon: Program;
  readonly #notifications: DesktopNotification[] = [];

  /** Starts a desktop. If programs are missing, rejects with the command that installs them. */
  static async start(): Promise<Desktop> {
    const bus = startProgram(BUS, ["--session", "--nofork", "--print-address"]);
    try {
      const address = await readFirstLine(bus);
      const daemon = startProgram(PYTHON, [DAEMON], { DBUS_SESSION_BUS_ADDRESS: address });
      const desktop = new Desktop(bus, { address, daemon });
      await desktop.#listen();
      return desktop;
    } catch (error) {
      bus.kill();
      throw error;
    }
  }

  private constructor(
    bus: Program,
    { address, daemon }: { readonly address: string; readonly daemon: Program },
  ) {
    this.address = address;
    this.#bus = bus;
    this.#daemon = daemon;
  }

  /** Presses a button of the newest notification with these texts, or taps on it, once it is shown. */
  async press({ title, body = "", button, reply = null }: DesktopPress): Promise<void> {
    const findNewest = async () =>
      this.#notifications.findLast((shown) => hasTexts(shown, { title, body }));
    const shown = await eventually(
      findNewest,
      (found) => found !== undefined && (button === null || found.buttons.includes(button)),
      { limitMs: SHOWN_MAX_MS },
    );
    this.#daemon.stdin.write(`${JSON.stringify({ id: shown?.id, button, reply })}\n`);
  }

  /** Resolves once `count` notifications and replacements with these texts were shown. */
  async waitForShown({ title, body }: ShownTexts, count: number): Promise<void> {
    await eventually(
      async () => this.#notifications.filter((shown) => hasTexts(shown, { title, body })).length,
      (shownCount) => shownCount >= count,
      { limitMs: SHOWN_MAX_MS },
    );
  }

  /** All notifications and replacements so far. */
  get notifications(): readonly DesktopNotification[] {
    return this.#notifications;
  }

  /** Ends both programs. */
  async close(): Promise<void> {
    for (const program of [this.#daemon, this.#bus]) {
      const exited = once(program, "exit");
      if (program.kill()) await exited;
    }
  }

  /** Starts to record notifications. Resolves once applications can show them. */
  async #listen(): Promise<void> {
    const lines = createInterface({ input: this.#daemon.stdout });
    const ended = once(lines, "close").then(() => {
      throw new Error(`The notification daemon does not start: apt-get install ${PACKAGES}`);
    });
    const ready = once(lines, "line");
    await Promise.race([ready, ended]);
    ended.catch(() => {});
    // Only the daemon writes these lines.
    lines.on("line", (line) => this.#notifications.push(JSON.parse(line)));
  }
}

function hasTexts(shown: DesktopNotification, { title, body }: ShownTexts): boolean {
  return shown.title === title && shown.body.includes(body);
}

function startProgram(
  command: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Program {
  return spawn(command, args, {
    env: { PATH: process.env["PATH"], ...environment },
    stdio: ["pipe", "pipe", command === BUS ? "ignore" : "inherit"],
  });
}

async function readFirstLine(program: Program): Promise<string> {
  const failed = once(program, "error").then(() => {
    throw new Error(`There is no session bus: apt-get install ${PACKAGES}`);
  });
  const [line]: string[] = await Promise.race([
    once(createInterface({ input: program.stdout }), "line"),
    failed,
  ]);
  return line ?? "";
}
