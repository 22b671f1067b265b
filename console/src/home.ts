import type { Account } from "@tocsin/sdk";
import { accountDevices } from "./devices/devices.ts";
import type { Frame, Shown } from "./frame.ts";
import { apiKeys } from "./keys/api-keys.ts";
import { Feed } from "./notifications/feed.ts";
import { follow } from "./notifications/follow.ts";
import { make } from "./page/make.ts";
import { parseWorkerMessage } from "./worker-message.ts";

/** Shows an account its feed, this browser, its devices and its API keys, and keeps them true until the view is left. */
export function showHome(frame: Frame, account: Account, openId: string | null): Shown {
  const feed = new Feed();
  const devices = accountDevices(account.id);
  const keys = apiKeys({ onShown: (key) => feed.useKey(key) });
  const { signal } = frame;
  const refreshFeed = () => void feed.refresh();
  void follow({
    signal,
    onOpen: () => {
      feed.setLive(true);
      refreshFeed();
    },
    onLost: () => feed.setLive(false),
    onEvent: (event) => {
      if (event.kind === "notification") feed.take(event.data);
      if (event.kind === "device") devices.take(event.data.deviceId, event.data.device);
      if (event.kind === "delivery") devices.takeDelivery(event.data);
    },
    onSignedOut: () => void frame.reload(),
  });
  void devices.refresh();
  void keys.refresh();
  void feed.refresh();
  listenToWorker(signal, { arrived: refreshFeed, renewed: () => void devices.refresh() });
  const side = make("div", { class: "side" }, devices.list, keys.element);
  const content = make("div", { class: "home" }, devices.thisDevice, feed.element, side);
  const open = (id: string | null) => {
    content.classList.toggle("opened", id !== null);
    void feed.open(id);
  };
  if (openId !== null) open(openId);
  return { title: "Notifications", content, open };
}

/** The worker wakes for a push message also where the live stream is cut. */
function listenToWorker(
  signal: AbortSignal,
  on: { readonly arrived: () => void; readonly renewed: () => void },
): void {
  if (!("serviceWorker" in navigator)) return;
  const listen = ({ data }: MessageEvent<unknown>) => {
    const message = parseWorkerMessage(data);
    if (message?.kind === "arrived") on.arrived();
    if (message?.kind === "renewed") on.renewed();
  };
  navigator.serviceWorker.addEventListener("message", listen, { signal });
}
