import { parseWorkerMessage } from "./message.ts";

/** Calls `open` with the path of a clicked notification. A reload would lose content that is shown only once. */
export function listenForOpenedPaths(open: (path: string) => void): void {
  if (!("serviceWorker" in navigator)) return;
  navigator.serviceWorker.addEventListener("message", ({ data }: MessageEvent<unknown>) => {
    const message = parseWorkerMessage(data);
    if (message?.kind === "open") open(message.path);
  });
}
