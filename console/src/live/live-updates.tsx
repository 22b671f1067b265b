import type { Account, LiveEvent } from "@tocsin/sdk";
import { useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { createContext, useContext, useEffect, useState, type ReactNode } from "react";
import { applyDelivery, applyDevice, removeCachedDevice } from "../devices/device-queries.ts";
import { createNewDeviceNotice, type NewDeviceNotice } from "../devices/new-device-notice.tsx";
import {
  refreshFeed,
  applyFeedChange,
  addNotification,
} from "../notifications/feed/feed-queries.ts";
import { refreshLog, refreshWholeLog } from "../notifications/log/log-queries.ts";
import { playNotificationSound } from "../notifications/sound/play-sound.ts";
import { showError } from "../page/toasts.ts";
import { PATHS } from "../paths.ts";
import { parseWorkerMessage } from "../worker/message.ts";
import { subscribeToEvents } from "./subscribe-to-events.ts";
import { runWhileVisible } from "./run-while-visible.ts";

const LiveContext = createContext(false);

/** Returns whether the page gets live updates. */
export function useIsLive(): boolean {
  return useContext(LiveContext);
}

interface LiveUpdatesProps {
  readonly account: Account;
  readonly children: ReactNode;
}

/** Keeps the page's data current while the page is visible. No other component reads the live stream. */
export function LiveUpdates({ account, children }: LiveUpdatesProps) {
  const queryClient = useQueryClient();
  const router = useRouter();
  const [isLive, setIsLive] = useState(false);
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const notice = createNewDeviceNotice(signal, () => router.navigate({ to: PATHS.devices }));
    runWhileVisible(signal, (visibleSignal) => {
      void subscribeToEvents({
        signal: visibleSignal,
        onOpen: () => {
          setIsLive(true);
          refetchLiveData(queryClient);
        },
        onLost: () => setIsLive(false),
        onEvent: (event) => applyEvent({ queryClient, notice }, event),
      });
    });
    listenToWorker(queryClient, signal);
    return () => controller.abort();
  }, [queryClient, router, account.id]);
  return <LiveContext value={isLive}>{children}</LiveContext>;
}

/** Refetches the data that may have changed without the stream, because a new stream does not replay earlier events. */
function refetchLiveData(queryClient: QueryClient): void {
  refreshFeed(queryClient);
  refreshWholeLog(queryClient);
  void queryClient.invalidateQueries({ queryKey: ["incidents"] });
  void queryClient.invalidateQueries({ queryKey: ["devices"] });
  void queryClient.invalidateQueries({ queryKey: ["troubles"] });
}

interface LiveEventDeps {
  readonly queryClient: QueryClient;
  readonly notice: NewDeviceNotice;
}

function applyEvent({ queryClient, notice }: LiveEventDeps, event: LiveEvent): void {
  switch (event.kind) {
    case "notification":
      addNotification(queryClient, event.data);
      playNotificationSound(event.data).catch(showError);
      return;
    case "read":
      applyFeedChange(queryClient, event.data);
      return;
    case "device": {
      const { deviceId, device, isNew } = event.data;
      if (device === null) {
        removeCachedDevice(queryClient, deviceId);
        void notice.remove(deviceId);
        return;
      }
      applyDevice(queryClient, device);
      if (isNew) void notice.add(device);
      return;
    }
    case "incident":
    case "prompt":
      // An incident has one item in the feed, so a new item replaces the earlier one.
      refreshFeed(queryClient);
      // Prompts are below the same key, because the badge counts both.
      void queryClient.invalidateQueries({ queryKey: ["incidents"] });
      return;
    case "delivery":
      applyDelivery(queryClient, event.data);
      refreshLog(queryClient, event.data);
  }
}

/** Listens to the service worker, which receives push messages even while the live stream is down. */
function listenToWorker(queryClient: QueryClient, signal: AbortSignal): void {
  if (!("serviceWorker" in navigator)) return;
  const handleMessage = ({ data }: MessageEvent<unknown>) => {
    const message = parseWorkerMessage(data);
    if (message?.kind === "arrived") {
      refreshFeed(queryClient);
      playNotificationSound(message).catch(showError);
    }
    if (message?.kind === "renewed") {
      void queryClient.invalidateQueries({ queryKey: ["devices"] });
    }
  };
  navigator.serviceWorker.addEventListener("message", handleMessage, { signal });
}
