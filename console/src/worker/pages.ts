import { SERVER_PATHS } from "../paths.ts";
import type { WorkerMessage } from "./message.ts";

declare const self: ServiceWorkerGlobalScope;

/** Opens a link. If the browser cannot open it, shows the path. */
export async function openLink({ href, path }: Readonly<Record<"href" | "path", string>>) {
  await self.clients.openWindow(href).catch(() => openPage(path));
}

/** Shows a path in an open page, or in a new one. Does not reload the page, to keep content that is shown only once. */
export async function openPage(path: string): Promise<void> {
  const pages = await findOpenPages();
  const page = pages.find(({ focused }) => focused) ?? pages[0];
  if (page === undefined) {
    await self.clients.openWindow(path);
    return;
  }
  page.postMessage({ kind: "open", path } satisfies WorkerMessage);
  await page.focus();
}

/** Sends a message to the open pages. */
export async function postToPages(message: WorkerMessage): Promise<void> {
  for (const page of await findOpenPages()) page.postMessage(message);
}

/** Returns the open pages of the console. Other pages of the origin, such as the API reference, are not included. */
async function findOpenPages(): Promise<readonly WindowClient[]> {
  const windows = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  return windows.filter(({ url }) => !SERVER_PATHS.test(new URL(url).pathname));
}
