import type { Device, DeliveryState } from "@tocsin/sdk";
import { client } from "../client.ts";
import { actionButton } from "../page/action-button.ts";
import { fill, make, makeTime, type Child } from "../page/make.ts";
import { makeStatus, type Status } from "../page/status.ts";

/** The part of the page with all devices of the account. */
export interface DeviceList {
  readonly element: HTMLElement;
  show(devices: readonly Device[], thisDeviceId: string | null): void;
  /** Tells anew how a device that is shown stands; its buttons stay, and so does the focus. */
  showState(device: Device): void;
  fail(error: unknown): void;
}

export interface DeviceListOptions {
  /** Told after a device changed, or is gone (null). */
  readonly onChange: (deviceId: string, device: Device | null) => void;
}

/** Returns the list, empty until devices are shown. */
export function deviceList({ onChange }: DeviceListOptions): DeviceList {
  const status = makeStatus();
  const list = make("ul", { class: "plain" });
  const hint = make("p", { class: "quiet" }, "Loading…");
  const element = make(
    "section",
    { class: "card devices", "aria-labelledby": "devices" },
    make("h2", { id: "devices" }, "Devices"),
    hint,
    list,
    status.element,
  );
  const items = new Map<string, Item>();
  const itemOf = (device: Device, isThis: boolean) => {
    const item = makeItem(device, { isThis, actions: actionsOf(device, { onChange, status }) });
    items.set(device.id, item);
    return item.element;
  };
  return {
    element,
    show: (devices, thisDeviceId) => {
      hint.textContent = devices.length === 0 ? "No device yet." : "";
      items.clear();
      fill(list, ...devices.map((device) => itemOf(device, device.id === thisDeviceId)));
    },
    showState: (device) => items.get(device.id)?.showState(device),
    fail: (error) => {
      hint.textContent = "";
      status.fail(error);
    },
  };
}

interface Item {
  readonly element: HTMLElement;
  showState(device: Device): void;
}

function makeItem(
  device: Device,
  { isThis, actions }: { readonly isThis: boolean; readonly actions: readonly Child[] },
): Item {
  const state = make("p", { class: "quiet" }, ...stateOf(device));
  const element = make(
    "li",
    { "data-device": device.id },
    make(
      "div",
      { class: "row" },
      make("strong", {}, device.name),
      isThis ? make("span", { class: "badge" }, "this device") : null,
    ),
    state,
    make("p", { class: "quiet" }, device.endpointHost),
    make("div", { class: "row" }, ...actions),
  );
  return { element, showState: (now) => fill(state, ...stateOf(now)) };
}

function actionsOf(
  { id, name, paused }: Device,
  { onChange, status }: DeviceListOptions & { readonly status: Status },
): readonly Child[] {
  const test = async () => {
    status.say(`Sending to ${name}…`);
    const { success, message } = await client.devices.test(id);
    if (!success) throw new Error(`${name}: ${message}`);
    status.say(`${name}: ${message}`);
  };
  const pause = async () => onChange(id, await client.devices.update(id, { paused: !paused }));
  const remove = async () => {
    if (!confirm(`Remove ${name}? It gets no more notifications.`)) return;
    await client.devices.remove(id);
    onChange(id, null);
  };
  const act = (label: string, run: () => Promise<void>) => {
    const button = actionButton({ label, className: "small", status, run });
    button.setAttribute("aria-label", `${label}: ${name}`);
    return button;
  };
  return [act("Test", test), act(paused ? "Resume" : "Pause", pause), act("Remove", remove)];
}

function stateOf({ paused, lastDelivery }: Device): readonly Child[] {
  if (paused) return ["Paused: it is sent nothing"];
  if (lastDelivery === null) return ["Nothing sent yet"];
  return [`${STATES[lastDelivery.state]} `, makeTime(lastDelivery.at)];
}

const STATES: Readonly<Record<DeliveryState, string>> = {
  queued: "Waiting since",
  retrying: "Being tried again since",
  held: "Held back since",
  accepted: "Last reached",
  gone: "Gone since",
  rejected: "Last message refused",
  expired: "Last message expired",
  failed: "Last message failed",
  cancelled: "Last message cancelled",
  skipped: "Last message not sent",
};
