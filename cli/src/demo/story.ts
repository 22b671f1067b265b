import type { Client, Delivery, Device, Notification, ProviderName, SendResult } from "@tocsin/sdk";
import { createClient } from "@tocsin/sdk";
import { makeAndroid, makeBrowser, makeIphone } from "./cast.ts";
import type { Actor, AndroidActor, Reading, Refusal } from "./cast.ts";
import { setStage, type Stage } from "./stage.ts";

/** The events of the demonstration, in order. */
export type DemoEvent =
  | ({ readonly kind: "stage" } & Pick<Stage, "folder" | "url" | "origins">)
  | { readonly kind: "account"; readonly email: string }
  | { readonly kind: "device"; readonly name: string; readonly provider: ProviderName }
  /** The first call is shown in full. */
  | ({ readonly kind: "calling" } & Call)
  | ({ readonly kind: "calling again" } & Call)
  | ({ readonly kind: "received" } & Received)
  | ({ readonly kind: "refused"; readonly device: string } & Refusal)
  | { readonly kind: "answered"; readonly answer: SendResult; readonly durationMs: number }
  | { readonly kind: "logged"; readonly deliveries: readonly Delivery[] }
  | { readonly kind: "uninstalled"; readonly name: string }
  | { readonly kind: "devices"; readonly names: readonly string[] };

/** A call to the notification API. */
export interface Call {
  readonly url: string;
  readonly key: string;
  readonly notification: Notification;
}

/** A notification as one of the devices received it. */
export interface Received extends Reading {
  readonly device: string;
  readonly provider: ProviderName;
}

/** One send with all its results. */
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
  /** The id of the device that the app was removed from. */
  readonly uninstalled: string;
  readonly devicesLeft: readonly Device[];
}

/** The dependencies of the story, beside its stage. */
export interface StoryDeps {
  readonly tell: (event: DemoEvent) => void;
  /** Ends the story between two steps. */
  readonly signal: AbortSignal;
}

/** Runs the demonstration on servers of its own, which are gone when this returns or throws. */
export async function playStory(deps: StoryDeps): Promise<DemoReport> {
  await using resources = new AsyncDisposableStack();
  const { tell, signal } = deps;
  const stage = await setStage(resources);
  signal.throwIfAborted();
  tell({ kind: "stage", ...stage });
  const person = await signUp(deps, stage);
  const { iphone, android, browser } = await gatherCast(deps, { stage, person });
  const everyone = [iphone, android, browser];
  const sends = [await exchange(deps, { ...person, ...FIRST, reached: everyone })];
  android.actor.uninstall();
  tell({ kind: "uninstalled", name: android.device.name });
  const others = { reached: [iphone, browser], gone: android };
  sends.push(await exchange(deps, { ...person, ...SECOND, ...others }));
  const { items: devicesLeft } = await person.client.devices.list({}, { signal });
  if (devicesLeft.length !== others.reached.length) {
    throw new Error("The device without the app was not removed.");
  }
  tell({ kind: "devices", names: devicesLeft.map(({ name }) => name) });
  return {
    server: { url: stage.url },
    account: person.account,
    devices: everyone.map(({ device }) => device),
    sends,
    uninstalled: android.device.id,
    devicesLeft,
  };
}

const FIRST: Pick<Scene, "notification"> = {
  notification: {
    title: "Doorbell",
    body: "Somebody is at the front door",
    sound: "doorbell",
    link: "https://door.example/camera",
    timeSensitive: true,
  },
};
const SECOND: Pick<Scene, "notification"> = {
  notification: { title: "Front door", body: "It is locked again" },
};

interface Person {
  readonly client: Client;
  readonly url: string;
  readonly key: string;
  readonly account: { readonly id: string; readonly email: string };
}

/** As a browser does: a session by cookie, and a key created in it. */
async function signUp({ tell, signal }: StoryDeps, { url }: Stage): Promise<Person> {
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

/** An actor with the device that its app registered. */
interface Member<A extends Actor = Actor> {
  readonly actor: A;
  readonly device: Device;
}

async function gatherCast(
  deps: StoryDeps,
  { stage, person }: { readonly stage: Stage; readonly person: Person },
) {
  const { services } = stage;
  const { client } = person;
  const { publicKey } = await client.webPushKey({ signal: deps.signal });
  const iphone = await register(deps, { client, actor: makeIphone(services) });
  const android = await register(deps, { client, actor: makeAndroid(services) });
  const browser = await register(deps, { client, actor: makeBrowser(services, publicKey) });
  return { iphone, android, browser };
}

async function register<A extends Actor>(
  { tell, signal }: StoryDeps,
  { client, actor }: { readonly client: Client; readonly actor: A },
): Promise<Member<A>> {
  const { registration } = actor;
  const device = await client.devices.create(registration, { signal });
  tell({ kind: "device", name: device.name, provider: registration.push.provider });
  return { actor, device };
}

interface Scene extends Person {
  readonly notification: Notification;
  /** The devices that receive the notification. */
  readonly reached: readonly Member[];
  /** The phone that no longer has the app. */
  readonly gone?: Member<AndroidActor>;
}

async function exchange(deps: StoryDeps, scene: Scene): Promise<Exchange> {
  const { tell, signal } = deps;
  const { client, url, key, notification, reached, gone } = scene;
  tell({ kind: gone === undefined ? "calling" : "calling again", url, key, notification });
  const start = performance.now();
  const [sent, ...received] = await Promise.all([
    client.notify(notification, { signal }),
    ...reached.map(async (member) => readNext(deps, member)),
  ]);
  const { notificationId, ...answer } = sent;
  const durationMs = Math.round(performance.now() - start);
  if (gone !== undefined) {
    tell({ kind: "refused", device: gone.device.name, ...gone.actor.refusal() });
  }
  tell({ kind: "answered", answer, durationMs });
  const { deliveries } = await client.notifications.get(notificationId ?? "", { signal });
  tell({ kind: "logged", deliveries });
  return { notification, notificationId, durationMs, answer, received, deliveries };
}

async function readNext({ tell }: StoryDeps, { actor, device }: Member): Promise<Received> {
  const { provider } = actor.registration.push;
  const received = { device: device.name, provider, ...(await actor.next()) };
  tell({ kind: "received", ...received });
  return received;
}
