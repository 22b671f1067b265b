import { parseWorkerMessage } from "./message.ts";

/** Tells `open` the path that a click on a notification leads to: what the page shows only once need not be loaded anew. */
export function onOpenPath(open: (path: string) => void): void {
  if (!("serviceWorker" in navigator)) return;
  navigator.serviceWorker.addEventListener("message", ({ data }: MessageEvent<unknown>) => {
    const message = parseWorkerMessage(data);
    if (message?.kind === "open") open(message.path);
  });
}
