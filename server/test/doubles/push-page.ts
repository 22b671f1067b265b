import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import type { Page } from "puppeteer-core";
import { Arrivals } from "./arrivals.ts";
import type { PushTarget } from "./web-push-sender.ts";
import { LOOPBACK, closeHttpServer, listen } from "./listen.ts";

/** An event that the page's worker reported. `text` is the payload of a push event. */
export interface WorkerEvent {
  readonly type: string;
  readonly text: string | null;
}

const PAGE_HTML = `<!doctype html><title>Push</title><script>
async function subscribe(applicationServerKey) {
  await navigator.serviceWorker.register("/worker.js");
  const { pushManager } = await navigator.serviceWorker.ready;
  return (await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey })).toJSON();
}
async function unsubscribe() {
  const { pushManager } = await navigator.serviceWorker.ready;
  return (await pushManager.getSubscription()).unsubscribe();
}
async function titles() {
  const registration = await navigator.serviceWorker.ready;
  return (await registration.getNotifications()).map(({ title }) => title);
}
</script>`;

/** Shows and reports every message, and fails for the message "fail". */
const WORKER_SCRIPT = `
const report = (type, text = null) =>
  fetch("/events", { method: "POST", body: JSON.stringify({ type, text }) });
async function show(text) {
  if (text === "fail") throw new Error("The test requested a failure.");
  await self.registration.showNotification(text);
  await report("push", text);
}
self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("push", (event) => event.waitUntil(show(event.data?.text() ?? "")));
self.addEventListener("pushsubscriptionchange", (event) => event.waitUntil(report(event.type)));
`;

/** A minimal site, independent of the product, with a page that subscribes and a worker that reports events. */
export class PushPage {
  readonly url: string;
  readonly events = new Arrivals<WorkerEvent>("events of the worker");
  readonly #server: Server;

  /** Serves the site on a free loopback port. */
  static async start(): Promise<PushPage> {
    const server = createServer();
    return new PushPage(server, await listen(server));
  }

  private constructor(server: Server, port: number) {
    this.url = `http://${LOOPBACK}:${port}/`;
    this.#server = server;
    server.on("request", (request: IncomingMessage, response: ServerResponse) => {
      this.#serve(request, response).catch(() => response.destroy());
    });
  }

  /** Subscribes in a page of this site. */
  async subscribe(page: Page, applicationServerKey: string): Promise<PushTarget> {
    const subscription: unknown = await page.evaluate(`subscribe("${applicationServerKey}")`);
    // `PushSubscription.toJSON()` of the W3C Push API.
    return subscription as PushTarget;
  }

  /** Returns the titles of the notifications that the site shows. */
  async listTitles(page: Page): Promise<readonly string[]> {
    const titles: unknown = await page.evaluate("titles()");
    // The page above returns this list.
    return titles as readonly string[];
  }

  async close(): Promise<void> {
    await closeHttpServer(this.#server);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url === "/events") {
      // The worker above sends this format.
      this.events.add(JSON.parse(await text(request)) as WorkerEvent);
      response.end();
      return;
    }
    const isWorker = request.url === "/worker.js";
    response.setHeader("content-type", isWorker ? "text/javascript" : "text/html");
    response.end(isWorker ? WORKER_SCRIPT : PAGE_HTML);
  }
}
