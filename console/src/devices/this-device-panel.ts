import type { Device } from "@tocsin/sdk";
import { client } from "../client.ts";
import { actionButton, type Action } from "../page/action-button.ts";
import { fill, make, type Child } from "../page/make.ts";
import { makeStatus } from "../page/status.ts";
import { EXPLANATIONS } from "./explanations.ts";
import { findThisDevice, turnOff, turnOn, type ThisDevice } from "./this-device.ts";

export interface PanelOptions {
  readonly accountId: string;
  /** Told which device this browser is now, null for none. */
  readonly onChange: (deviceId: string | null) => void;
}

/** The part of the page about notifications in this browser; it says that it looks until refreshed. */
export class ThisDevicePanel {
  readonly #options: PanelOptions;
  readonly #status = makeStatus();
  readonly #content = make(
    "div",
    { class: "stack" },
    make("p", { class: "quiet" }, "Looking at this browser…"),
  );
  readonly #title = make("h2", { id: "this-device", tabindex: "-1" }, "This device");
  readonly element = make(
    "section",
    { class: "card this-device", "aria-labelledby": "this-device" },
    this.#title,
    this.#content,
    this.#status.element,
  );

  constructor(options: PanelOptions) {
    this.#options = options;
  }

  /** Looks again at what this browser is among these devices of the account. */
  async refresh(devices: readonly Device[]): Promise<void> {
    try {
      this.#become(await findThisDevice(this.#options.accountId, devices));
    } catch (error) {
      this.#status.fail(error);
      const run = () => this.refresh(devices);
      this.#fill(this.#button({ label: "Try again", run }));
    }
  }

  #become(found: ThisDevice): void {
    this.#show(found);
    this.#options.onChange(found.deviceId);
  }

  #show({ capability, deviceId }: ThisDevice): void {
    this.element.dataset["capability"] = capability;
    const explanation = EXPLANATIONS[capability].map((text) => make("p", {}, text));
    this.#fill(...explanation, this.#actionOf({ capability, deviceId }));
  }

  /** Who pressed a button that goes is led on to what came in its place. */
  #fill(...children: readonly Child[]): void {
    const hadFocus = this.#content.contains(document.activeElement);
    fill(this.#content, ...children);
    if (hadFocus) (this.#content.querySelector("button") ?? this.#title).focus();
  }

  #actionOf({ capability, deviceId }: ThisDevice): HTMLElement | null {
    const className = "primary";
    const run = () => this.#turnOn();
    if (capability === "off") {
      return this.#button({ label: "Turn on notifications on this device", className, run });
    }
    if (capability === "other-key") {
      return this.#button({ label: "Connect again", className, run });
    }
    if (deviceId === null) return null;
    return make(
      "div",
      { class: "row" },
      this.#button({ label: "Send a test", className, run: () => this.#test(deviceId) }),
      this.#button({ label: "Turn off", run: () => this.#turnOff() }),
    );
  }

  #button(action: Omit<Action, "status">): HTMLButtonElement {
    return actionButton({ ...action, status: this.#status });
  }

  async #turnOn(): Promise<void> {
    const deviceId = await turnOn(this.#options.accountId);
    if (deviceId === null) {
      const capability = Notification.permission === "denied" ? "denied" : "off";
      this.#show({ capability, deviceId });
      throw new Error("Notifications were not allowed in this browser.");
    }
    this.#become({ capability: "on", deviceId });
    this.#status.say("Notifications are on. Send a test to see one.");
  }

  async #turnOff(): Promise<void> {
    await turnOff(this.#options.accountId);
    this.#become({ capability: "off", deviceId: null });
    this.#status.say("Notifications are off on this device.");
  }

  async #test(deviceId: string): Promise<void> {
    this.#status.say("Sending…");
    const { success, message } = await client.devices.test(deviceId);
    if (!success) throw new Error(message);
    this.#status.say(message);
  }
}
