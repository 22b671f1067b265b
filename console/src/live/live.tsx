import type { Account, LiveEvent } from "@tocsin/sdk";
import { useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { createContext, useContext, useEffect, useState, type ReactNode } from "react";
import { takeDelivery, takeDevice } from "../devices/device-queries.ts";
import { createNewDeviceNotice, type NewDeviceNotice } from "../devices/new-device-notice.tsx";
import { refreshFeed, takeChange, takeNotification } from "../notifications/feed/feed-queries.ts";
import { refreshLog, refreshWholeLog } from "../notifications/log/log-queries.ts";
import { soundFor } from "../notifications/sound/sounds.ts";
import { fail } from "../page/toasts.ts";
import { PATHS } from "../paths.ts";
import { parseWorkerMessage } from "../worker/message.ts";
import { follow } from "./follow.ts";
import { whileVisible } from "./while-visible.ts";

const LiveContext = createContext(false);

/** Returns whether the page gets live updates. */
export function useIsLive(): boolean {
  return useContext(LiveContext);
}

export interface LiveProps {
  readonly account: Account;
  readonly children: ReactNode;
}

/** Keeps the page's data current while it is open: the one place that reads the live stream. */
export function Live({ account, children }: LiveProps) {
  const queryClient = useQueryClient();
  const router = useRouter();
  const [isLive, setLive] = useState(false);
  useEffect(() => {
    const view = new AbortController();
    const { signal } = view;
    const notice = createNewDeviceNotice(signal, () => router.navigate({ to: PATHS.devices }));
    whileVisible(signal, (whileSeen) => {
      void follow({
        signal: whileSeen,
        onOpen: () => {
          setLive(true);
          catchUp(queryClient);
        },
        onLost: () => setLive(false),
        onEvent: (event) => take({ queryClient, notice }, event),
      });
    });
    listenToWorker(queryClient, signal);
    return () => view.abort();
  }, [queryClient, router, account.id]);
  return <LiveContext value={isLive}>{children}</LiveContext>;
}

/** A new stream does not replay earlier events. */
function catchUp(queryClient: QueryClient): void {
  refreshFeed(queryClient);
  refreshWholeLog(queryClient);
  void queryClient.invalidateQueries({ queryKey: ["devices"] });
  void queryClient.invalidateQueries({ queryKey: ["troubles"] });
}

interface Takers {
  readonly queryClient: QueryClient;
  readonly notice: NewDeviceNotice;
}

function take({ queryClient, notice }: Takers, event: LiveEvent): void {
  switch (event.kind) {
    case "notification":
      takeNotification(queryClient, event.data);
      soundFor(event.data).catch(fail);
      return;
    case "read":
      takeChange(queryClient, event.data);
      return;
    case "device": {
      const { deviceId, device, isNew } = event.data;
      takeDevice(queryClient, deviceId, device);
      if (device === null) void notice.forget(deviceId);
      else if (isNew) void notice.tell(device);
      return;
    }
    case "delivery":
      takeDelivery(queryClient, event.data);
      refreshLog(queryClient, event.data);
  }
}

/** The worker gets push messages even while the live stream is cut. */
function listenToWorker(queryClient: QueryClient, signal: AbortSignal): void {
  if (!("serviceWorker" in navigator)) return;
  const listen = ({ data }: MessageEvent<unknown>) => {
    const message = parseWorkerMessage(data);
    if (message?.kind === "arrived") {
      refreshFeed(queryClient);
      soundFor(message).catch(fail);
    }
    if (message?.kind === "renewed") {
      void queryClient.invalidateQueries({ queryKey: ["devices"] });
    }
  };
  navigator.serviceWorker.addEventListener("message", listen, { signal });
}
