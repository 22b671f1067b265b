import {
  createClient,
  type Client,
  type Delivery,
  type Device,
  type Notification,
  type PushProviderName,
  type SendResult,
} from "@tocsin/sdk";
import {
  createAndroid,
  createBrowser,
  createIphone,
  type DemoDevice,
  type DemoAndroid,
  type ReceivedContent,
  type DemoRefusal,
} from "./simulated-devices.ts";
import { startDemoServers, type DemoServers } from "./servers.ts";

/** The events of the demo, in order. */
export type DemoEvent =
  | ({ readonly kind: "servers" } & Pick<DemoServers, "folder" | "url" | "origins">)
  | { readonly kind: "account"; readonly email: string }
  | { readonly kind: "device"; readonly name: string; readonly provider: PushProviderName }
  /** The first call is shown in full. */
  | ({ readonly kind: "calling" } & DemoCall)
  | ({ readonly kind: "calling again" } & DemoCall)
  | ({ readonly kind: "received" } & ReceivedNotification)
  | ({ readonly kind: "refused"; readonly device: string } & DemoRefusal)
  | { readonly kind: "answered"; readonly answer: SendResult; readonly durationMs: number }
  | { readonly kind: "logged"; readonly deliveries: readonly Delivery[] }
  | { readonly kind: "uninstalled"; readonly name: string }
  | { readonly kind: "devices"; readonly names: readonly string[] };

/** A call to the notification API. */
export interface DemoCall {
  readonly url: string;
  readonly key: string;
  readonly notification: Notification;
}

/** A notification as a device received it. */
export interface ReceivedNotification extends ReceivedContent {
  readonly device: string;
  readonly provider: PushProviderName;
}

/** One send with all its results. */
export interface DemoSend {
  readonly notification: Notification;
  readonly notificationId: string | null;
  readonly durationMs: number;
  readonly answer: SendResult;
  readonly received: readonly ReceivedNotification[];
  readonly deliveries: readonly Delivery[];
}

/** The report of the whole demo, for programs. */
export interface DemoReport {
  readonly server: { readonly url: string };
  readonly account: { readonly id: string; readonly email: string };
  readonly devices: readonly Device[];
  readonly sends: readonly DemoSend[];
  /** The id of the device whose app was removed. */
  readonly uninstalled: string;
  readonly devicesLeft: readonly Device[];
}

/** The dependencies of the demo, apart from its servers. */
export interface ScenarioDeps {
  readonly onEvent: (event: DemoEvent) => void;
  /** Stops the demo. */
  readonly signal: AbortSignal;
}

/** Runs the demo on its own servers, and stops them before it returns or throws. */
export async function runScenario(deps: ScenarioDeps): Promise<DemoReport> {
  await using resources = new AsyncDisposableStack();
  const { onEvent, signal } = deps;
  const servers = await startDemoServers(resources);
  signal.throwIfAborted();
  onEvent({ kind: "servers", ...servers });
  const sender = await signUp(deps, servers);
  const { iphone, android, browser } = await registerDevices(deps, { servers, sender });
  const allDevices = [iphone, android, browser];
  const sends = [await sendAndRecord(deps, { ...sender, ...FIRST_SEND, receivers: allDevices })];
  android.simulated.uninstall();
  onEvent({ kind: "uninstalled", name: android.device.name });
  const remaining = { receivers: [iphone, browser], uninstalledPhone: android };
  sends.push(await sendAndRecord(deps, { ...sender, ...SECOND_SEND, ...remaining }));
  const { items: devicesLeft } = await sender.client.devices.list({}, { signal });
  if (devicesLeft.length !== remaining.receivers.length) {
    throw new Error("The device without the app was not removed.");
  }
  onEvent({ kind: "devices", names: devicesLeft.map(({ name }) => name) });
  return {
    server: { url: servers.url },
    account: sender.account,
    devices: allDevices.map(({ device }) => device),
    sends,
    uninstalled: android.device.id,
    devicesLeft,
  };
}

const FIRST_SEND: Pick<SendInput, "notification"> = {
  notification: {
    title: "Doorbell",
    body: "Somebody is at the front door",
    sound: "doorbell",
    link: "https://door.example/camera",
    timeSensitive: true,
  },
};
const SECOND_SEND: Pick<SendInput, "notification"> = {
  notification: { title: "Front door", body: "It is locked again" },
};

interface DemoSender {
  readonly client: Client;
  readonly url: string;
  readonly key: string;
  readonly account: { readonly id: string; readonly email: string };
}

/** Signs up and creates credentials, as a browser would: in a session with a cookie. */
async function signUp(
  { onEvent, signal }: ScenarioDeps,
  { url }: DemoServers,
): Promise<DemoSender> {
  const email = "ann@example.org";
  const anonymous = createClient({ baseUrl: url });
  const password = crypto.getRandomValues(new Uint8Array(16)).toHex();
  await anonymous.signUp({ email, name: "Ann", password }, { signal });
  const options = { signal };
  const { key } = await anonymous.keys.create({ kind: "account", label: "demo" }, options);
  const { token } = await anonymous.accessTokens.create({ label: "demo" }, options);
  const client = createClient({ baseUrl: url, apiKey: key, accessToken: token });
  const { id } = await client.me(options);
  onEvent({ kind: "account", email });
  return { client, url, key, account: { id, email } };
}

/** A simulated device, and its registration at the server. */
interface RegisteredDevice<Simulated extends DemoDevice = DemoDevice> {
  readonly simulated: Simulated;
  readonly device: Device;
}

async function registerDevices(
  deps: ScenarioDeps,
  { servers, sender }: { readonly servers: DemoServers; readonly sender: DemoSender },
) {
  const { services } = servers;
  const { client } = sender;
  const { publicKey } = await client.webPushKey({ signal: deps.signal });
  const iphone = await register(deps, { client, simulated: createIphone(services) });
  const android = await register(deps, { client, simulated: createAndroid(services) });
  const browser = await register(deps, { client, simulated: createBrowser(services, publicKey) });
  return { iphone, android, browser };
}

async function register<Simulated extends DemoDevice>(
  { onEvent, signal }: ScenarioDeps,
  { client, simulated }: { readonly client: Client; readonly simulated: Simulated },
): Promise<RegisteredDevice<Simulated>> {
  const { registration } = simulated;
  const device = await client.devices.create(registration, { signal });
  onEvent({ kind: "device", name: device.name, provider: registration.push.provider });
  return { simulated, device };
}

interface SendInput extends DemoSender {
  readonly notification: Notification;
  /** The devices that receive the notification. */
  readonly receivers: readonly RegisteredDevice[];
  /** The phone that no longer has the app. */
  readonly uninstalledPhone?: RegisteredDevice<DemoAndroid>;
}

async function sendAndRecord(deps: ScenarioDeps, input: SendInput): Promise<DemoSend> {
  const { onEvent, signal } = deps;
  const { client, url, key, notification, receivers, uninstalledPhone } = input;
  onEvent({
    kind: uninstalledPhone === undefined ? "calling" : "calling again",
    url,
    key,
    notification,
  });
  const startMs = performance.now();
  const [sent, ...received] = await Promise.all([
    client.notify(notification, { signal }),
    ...receivers.map(async (receiver) => readNext(deps, receiver)),
  ]);
  const { notificationId, ...answer } = sent;
  const durationMs = Math.round(performance.now() - startMs);
  if (uninstalledPhone !== undefined) {
    onEvent({
      kind: "refused",
      device: uninstalledPhone.device.name,
      ...uninstalledPhone.simulated.getRefusal(),
    });
  }
  onEvent({ kind: "answered", answer, durationMs });
  const { deliveries } = await client.notifications.get(notificationId ?? "", { signal });
  onEvent({ kind: "logged", deliveries });
  return { notification, notificationId, durationMs, answer, received, deliveries };
}

async function readNext(
  { onEvent }: ScenarioDeps,
  { simulated, device }: RegisteredDevice,
): Promise<ReceivedNotification> {
  const { provider } = simulated.registration.push;
  const received = { device: device.name, provider, ...(await simulated.waitForNext()) };
  onEvent({ kind: "received", ...received });
  return received;
}
