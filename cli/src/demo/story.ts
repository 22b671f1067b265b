import type { Client, Delivery, Device, Notification, SendResult } from "@tocsin/sdk";
import { createClient } from "@tocsin/sdk";
import { SimulatedDevice } from "@tocsin/server/doubles/simulated-device.ts";
import { setStage, type Stage } from "./stage.ts";

/** What happens in the demonstration, in the order in which it happens. */
export type DemoEvent =
  | ({ readonly kind: "stage" } & Pick<Stage, "folder" | "url" | "pushOrigin">)
  | { readonly kind: "account"; readonly email: string }
  | { readonly kind: "device"; readonly name: string }
  | {
      /** The first call of its kind is shown whole. */
      readonly kind: "calling" | "calling again";
      readonly url: string;
      readonly key: string;
      readonly notification: Notification;
    }
  | ({ readonly kind: "received" } & Received)
  | { readonly kind: "answered"; readonly answer: SendResult; readonly durationMs: number }
  | { readonly kind: "logged"; readonly deliveries: readonly Delivery[] }
  | { readonly kind: "unsubscribed"; readonly name: string }
  | { readonly kind: "refused"; readonly device: string; readonly status: number }
  | { readonly kind: "devices"; readonly names: readonly string[] };

/** A notification as a device decrypted it. */
export interface Received {
  readonly device: string;
  readonly title: string;
  readonly body: string;
}

/** One send and everything that came of it. */
export interface Exchange {
  readonly notification: Notification;
  readonly notificationId: string | null;
  readonly durationMs: number;
  readonly answer: SendResult;
  readonly received: readonly Received[];
  readonly deliveries: readonly Delivery[];
}

/** The whole demonstration, for programs. */
export interface DemoReport {
  readonly server: { readonly url: string };
  readonly account: { readonly id: string; readonly email: string };
  readonly devices: readonly Device[];
  readonly sends: readonly Exchange[];
  readonly unsubscribed: string;
  readonly devicesLeft: readonly Device[];
}

/** What the story needs beside its stage. */
export interface StoryParts {
  readonly tell: (event: DemoEvent) => void;
  /** Ends the story between two steps. */
  readonly signal: AbortSignal;
}

/** Plays the demonstration on a stage of its own, which is gone when this returns or throws. */
export async function playStory(parts: StoryParts): Promise<DemoReport> {
  await using resources = new AsyncDisposableStack();
  const { tell, signal } = parts;
  const stage = await setStage(resources);
  signal.throwIfAborted();
  tell({ kind: "stage", ...stage });
  const person = await signUp(parts, stage);
  const phone = await addDevice(parts, { stage, client: person.client, name: "Phone" });
  const laptop = await addDevice(parts, { stage, client: person.client, name: "Laptop" });
  const sends = [await exchange(parts, { ...person, ...FIRST, reached: [phone, laptop] })];
  laptop.simulated.unsubscribe();
  tell({ kind: "unsubscribed", name: laptop.device.name });
  sends.push(await exchange(parts, { ...person, ...SECOND, reached: [phone], gone: laptop }));
  const { items: devicesLeft } = await person.client.devices.list({}, { signal });
  if (devicesLeft.length !== 1) throw new Error("The device that unsubscribed was not retired.");
  tell({ kind: "devices", names: devicesLeft.map(({ name }) => name) });
  return {
    server: { url: stage.url },
    account: person.account,
    devices: [phone.device, laptop.device],
    sends,
    unsubscribed: laptop.device.id,
    devicesLeft,
  };
}

const FIRST: Pick<Cast, "notification"> = {
  notification: { title: "Backup finished", body: "42 GB in 11 minutes" },
};
const SECOND: Pick<Cast, "notification"> = {
  notification: { title: "Backup verified", body: "All files can be read back" },
};

interface Person {
  readonly client: Client;
  readonly url: string;
  readonly key: string;
  readonly account: { readonly id: string; readonly email: string };
}

/** As a browser does it: a session by cookie, in it a key. */
async function signUp({ tell, signal }: StoryParts, { url }: Stage): Promise<Person> {
  const email = "ann@example.org";
  const visitor = createClient({ baseUrl: url });
  const password = crypto.getRandomValues(new Uint8Array(16)).toHex();
  await visitor.signUp({ email, name: "Ann", password }, { signal });
  const options = { signal };
  const { key } = await visitor.keys.create({ kind: "account", label: "demo" }, options);
  const { token } = await visitor.accessTokens.create({ label: "demo" }, options);
  const client = createClient({ baseUrl: url, apiKey: key, accessToken: token });
  const { id } = await client.me(options);
  tell({ kind: "account", email });
  return { client, url, key, account: { id, email } };
}

interface DemoDevice {
  readonly simulated: SimulatedDevice;
  readonly device: Device;
}

async function addDevice(
  { tell, signal }: StoryParts,
  {
    stage,
    client,
    name,
  }: { readonly stage: Stage; readonly client: Client; readonly name: string },
): Promise<DemoDevice> {
  const { publicKey } = await client.webPushKey({ signal });
  const simulated = new SimulatedDevice(stage.push, publicKey);
  const push = { provider: "webpush", ...simulated.subscription } as const;
  const device = await client.devices.create({ name, platform: "web", push }, { signal });
  tell({ kind: "device", name });
  return { simulated, device };
}

interface Cast extends Person {
  readonly notification: Notification;
  /** The devices that will read the notification. */
  readonly reached: readonly DemoDevice[];
  /** The device whose push service knows it no more. */
  readonly gone?: DemoDevice;
}

async function exchange(parts: StoryParts, cast: Cast): Promise<Exchange> {
  const { tell, signal } = parts;
  const { client, url, key, notification, reached, gone } = cast;
  tell({ kind: gone === undefined ? "calling" : "calling again", url, key, notification });
  const start = performance.now();
  const [sent, ...received] = await Promise.all([
    client.notify(notification, { signal }),
    ...reached.map(async (device) => readNext(parts, device)),
  ]);
  const { notificationId, ...answer } = sent;
  const durationMs = Math.round(performance.now() - start);
  if (gone !== undefined) tellRefusal(parts, gone);
  tell({ kind: "answered", answer, durationMs });
  const { deliveries } = await client.notifications.get(notificationId ?? "", { signal });
  tell({ kind: "logged", deliveries });
  return { notification, notificationId, durationMs, answer, received, deliveries };
}

function tellRefusal({ tell }: StoryParts, { simulated, device }: DemoDevice): void {
  const verdict = simulated.judged.at(-1)?.verdict;
  if (verdict?.kind === "refused") {
    tell({ kind: "refused", device: device.name, status: verdict.status });
  }
}

async function readNext(
  { tell }: StoryParts,
  { simulated, device }: DemoDevice,
): Promise<Received> {
  const { text } = await simulated.next();
  // The declarative form of a push message, as our own server writes it for every browser.
  const { notification } = JSON.parse(text) as { notification: { title: string; body: string } };
  const received = { device: device.name, title: notification.title, body: notification.body };
  tell({ kind: "received", ...received });
  return received;
}
