import assert from "node:assert/strict";
import { once } from "node:events";
import { test, type TestContext } from "node:test";
import { WebSocket } from "ws";
import { Arrivals } from "./arrivals.ts";
import { Autopush } from "./autopush.ts";
import { createDoubleConnector } from "./double-connector.ts";
import { WebPushSender } from "./web-push-sender.ts";
import { generateReceiverKeys } from "./receiver-keys.ts";

type Frame = Readonly<Record<string, unknown>>;

/** Speaks Firefox's protocol without a browser. */
class FirefoxClient {
  readonly frames = new Arrivals<Frame>("frames of the push service");
  readonly #socket: WebSocket;

  constructor(url: string) {
    this.#socket = new WebSocket(url, "push-notification");
    this.#socket.on("message", (raw) => {
      if (Buffer.isBuffer(raw)) this.frames.add({ ...JSON.parse(raw.toString()) });
    });
  }

  async sendHello(uaid?: string): Promise<string> {
    await once(this.#socket, "open");
    const response = await this.request({ messageType: "hello", use_webpush: true, uaid });
    return String(response["uaid"]);
  }

  async request(frame: Frame): Promise<Frame> {
    this.send(frame);
    return this.frames.next();
  }

  send(frame: Frame): void {
    this.#socket.send(JSON.stringify(frame));
  }

  async leave(): Promise<void> {
    this.#socket.close();
    await once(this.#socket, "close");
  }
}

async function setUp(t: TestContext) {
  const clock = { nowMs: Date.now() };
  const autopush = await Autopush.start({ now: () => clock.nowMs });
  const sender = new WebPushSender(createDoubleConnector(autopush.service));
  t.after(async () => {
    await sender.close();
    await autopush.close();
  });
  const firefox = new FirefoxClient(autopush.url);
  const uaid = await firefox.sendHello();
  // Padded, as Firefox sends it.
  const key = `${sender.keys.publicKey}=`;
  const response = await firefox.request({ messageType: "register", channelID: "c1", key });
  const keys = generateReceiverKeys().publicKeys;
  const target = { endpoint: String(response["pushEndpoint"]), keys };
  return { autopush, sender, firefox, uaid, target, clock };
}

test("endpoints have Mozilla's host, and the browser gets the message id of the Location header", async (t) => {
  const { autopush, sender, firefox, target } = await setUp(t);
  assert.match(target.endpoint, /^https:\/\/updates\.push\.services\.mozilla\.com\/wpush\/v2\//u);
  const composed = sender.compose(target, "hello");
  const response = await sender.post(composed);
  const { data, ...frame } = await firefox.frames.next();
  assert.deepEqual(frame, {
    messageType: "notification",
    channelID: "c1",
    version: String(response.headers["location"]).split("/").at(-1),
    ttl: 60,
    headers: { encoding: "aes128gcm" },
  });
  assert.equal(data, composed.body.toString("base64url"));
  firefox.send({ messageType: "nack", version: frame["version"], code: 302 });
  assert.deepEqual(await autopush.receipts.next(), { version: frame["version"], code: 302 });
});

test("a reconnected browser gets messages that are neither acknowledged nor expired", async (t) => {
  const { autopush, sender, firefox, uaid, target, clock } = await setUp(t);
  assert.equal(await sender.send(target, "seen"), 201);
  const { version } = await firefox.frames.next();
  const updates = [{ channelID: "c1", version, code: 100 }];
  firefox.send({ messageType: "ack", updates });
  await autopush.receipts.next();
  await firefox.leave();

  assert.equal(await sender.send(target, "now or never", { TTL: 0 }), 201);
  assert.equal(await sender.send(target, "short", { TTL: 10 }), 201);
  assert.equal(await sender.send(target, "long", { TTL: 60 }), 201);
  clock.nowMs += 11_000;
  const reconnected = new FirefoxClient(autopush.url);
  assert.equal(await reconnected.sendHello(uaid), uaid);
  assert.equal((await reconnected.frames.next())["ttl"], 60);
  assert.deepEqual(await reconnected.request({}), {});
});

test("the endpoint of an unregistered channel answers 410", async (t) => {
  const { sender, firefox, target } = await setUp(t);
  const response = await firefox.request({ messageType: "unregister", channelID: "c1", code: 200 });
  assert.deepEqual(response, { messageType: "unregister", channelID: "c1", status: 200 });
  assert.equal(await sender.send(target, "hello"), 410);
});

test("a forgotten browser gets a new id, and its endpoints answer 410", async (t) => {
  const { autopush, sender, uaid, target } = await setUp(t);
  autopush.forgetUserAgents();
  assert.equal(await sender.send(target, "hello"), 410);
  const reconnected = new FirefoxClient(autopush.url);
  assert.notEqual(await reconnected.sendHello(uaid), uaid);
});

test("a subscription without an application server key is refused", async (t) => {
  const { firefox } = await setUp(t);
  const response = await firefox.request({ messageType: "register", channelID: "c2" });
  assert.equal(response["status"], 400);
});

test("endpoints are local and plain HTTP if no host name is given", async (t) => {
  const autopush = await Autopush.start({ names: null });
  t.after(() => autopush.close());
  const firefox = new FirefoxClient(autopush.url);
  await firefox.sendHello();
  const key = new WebPushSender().keys.publicKey;
  const response = await firefox.request({ messageType: "register", channelID: "c1", key });
  const origin = `http://127.0.0.1:${autopush.service.port}`;
  assert.ok(String(response["pushEndpoint"]).startsWith(`${origin}/wpush/v2/`));
});
