import { parseWorkerMessage } from "./message.ts";

/** Calls `open` with the path that a click leads to: a reload would lose what the page shows only once. */
export function onOpenPath(open: (path: string) => void): void {
  if (!("serviceWorker" in navigator)) return;
  navigator.serviceWorker.addEventListener("message", ({ data }: MessageEvent<unknown>) => {
    const message = parseWorkerMessage(data);
    if (message?.kind === "open") open(message.path);
  });
}
