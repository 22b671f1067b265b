import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { WebSocket } from "ws";
import { Arrivals } from "./arrivals.ts";
import { Autopush } from "./autopush.ts";
import { dialTo } from "./dial.ts";
import { ForeignSender } from "./foreign-sender.ts";
import { makeReceiverKeys } from "./push-decrypt.ts";

type Frame = Readonly<Record<string, unknown>>;

/** Speaks as Firefox does, without a browser. */
class FirefoxVoice {
  readonly frames = new Arrivals<Frame>("frames of the push service");
  readonly #socket: WebSocket;

  constructor(url: string) {
    this.#socket = new WebSocket(url, "push-notification");
    this.#socket.on("message", (raw) => {
      if (Buffer.isBuffer(raw)) this.frames.add({ ...JSON.parse(raw.toString()) });
    });
  }

  async hello(uaid?: string): Promise<string> {
    await once(this.#socket, "open");
    const answer = await this.ask({ messageType: "hello", use_webpush: true, uaid });
    return String(answer["uaid"]);
  }

  async ask(frame: Frame): Promise<Frame> {
    this.say(frame);
    return this.frames.next();
  }

  say(frame: Frame): void {
    this.#socket.send(JSON.stringify(frame));
  }

  async leave(): Promise<void> {
    this.#socket.close();
    await once(this.#socket, "close");
  }
}

async function stage(t: TestContext) {
  const clock = { nowMs: Date.now() };
  const autopush = await Autopush.start({ now: () => clock.nowMs });
  const sender = new ForeignSender(dialTo(autopush.service));
  t.after(async () => {
    await sender.close();
    await autopush.close();
  });
  const firefox = new FirefoxVoice(autopush.url);
  const uaid = await firefox.hello();
  // Padded, as Firefox sends it.
  const key = `${sender.keys.publicKey}=`;
  const answer = await firefox.ask({ messageType: "register", channelID: "c1", key });
  const keys = makeReceiverKeys().publicKeys;
  const target = { endpoint: String(answer["pushEndpoint"]), keys };
  return { autopush, sender, firefox, uaid, target, clock };
}

test("endpoints carry Mozilla's name, and a message reaches the browser under its Location", async (t) => {
  const { autopush, sender, firefox, target } = await stage(t);
  assert.match(target.endpoint, /^https:\/\/updates\.push\.services\.mozilla\.com\/wpush\/v2\//u);
  const letter = sender.compose(target, "hello");
  const answer = await sender.post(letter);
  const { data, ...frame } = await firefox.frames.next();
  assert.deepEqual(frame, {
    messageType: "notification",
    channelID: "c1",
    version: String(answer.headers["location"]).split("/").at(-1),
    ttl: 60,
    headers: { encoding: "aes128gcm" },
  });
  assert.equal(data, letter.body.toString("base64url"));
  firefox.say({ messageType: "nack", version: frame["version"], code: 302 });
  assert.deepEqual(await autopush.receipts.next(), { version: frame["version"], code: 302 });
});

test("a browser that comes back gets what it has not acknowledged and what has not expired", async (t) => {
  const { autopush, sender, firefox, uaid, target, clock } = await stage(t);
  assert.equal(await sender.send(target, "seen"), 201);
  const { version } = await firefox.frames.next();
  const updates = [{ channelID: "c1", version, code: 100 }];
  firefox.say({ messageType: "ack", updates });
  await autopush.receipts.next();
  await firefox.leave();

  assert.equal(await sender.send(target, "now or never", { TTL: 0 }), 201);
  assert.equal(await sender.send(target, "short", { TTL: 10 }), 201);
  assert.equal(await sender.send(target, "long", { TTL: 60 }), 201);
  clock.nowMs += 11_000;
  const back = new FirefoxVoice(autopush.url);
  assert.equal(await back.hello(uaid), uaid);
  assert.equal((await back.frames.next())["ttl"], 60);
  assert.deepEqual(await back.ask({}), {});
});

test("an unregistered channel answers 410", async (t) => {
  const { sender, firefox, target } = await stage(t);
  const answer = await firefox.ask({ messageType: "unregister", channelID: "c1", code: 200 });
  assert.deepEqual(answer, { messageType: "unregister", channelID: "c1", status: 200 });
  assert.equal(await sender.send(target, "hello"), 410);
});

test("a forgotten browser gets a new name, and its endpoints answer 410", async (t) => {
  const { autopush, sender, uaid, target } = await stage(t);
  autopush.forgetUserAgents();
  assert.equal(await sender.send(target, "hello"), 410);
  const back = new FirefoxVoice(autopush.url);
  assert.notEqual(await back.hello(uaid), uaid);
});

test("a subscription without a sender's key is refused", async (t) => {
  const { firefox } = await stage(t);
  const answer = await firefox.ask({ messageType: "register", channelID: "c2" });
  assert.equal(answer["status"], 400);
});

test("without a name endpoints are plain HTTP on this machine", async (t) => {
  const autopush = await Autopush.start({ names: null });
  t.after(() => autopush.close());
  const firefox = new FirefoxVoice(autopush.url);
  await firefox.hello();
  const key = new ForeignSender().keys.publicKey;
  const answer = await firefox.ask({ messageType: "register", channelID: "c1", key });
  const origin = `http://127.0.0.1:${autopush.service.port}`;
  assert.ok(String(answer["pushEndpoint"]).startsWith(`${origin}/wpush/v2/`));
});
