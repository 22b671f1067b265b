import assert from "node:assert/strict";
import test from "node:test";
import { PRIORITIES, SOUNDS, type Notification, type Priority, type Sound } from "@tocsin/sdk";
import type { IphoneMessage } from "../doubles/apns/simulated-iphone.ts";
import { findDeclarativeFault } from "../doubles/find-declarative-fault.ts";
import type { FcmDelivery } from "../doubles/fcm/fcm-registration.ts";
import type { DeviceMessage } from "../doubles/simulated-device.ts";
import { addDevice, signUp } from "../support/app.ts";
import {
  getNotificationId,
  areDeliveriesFinished,
  waitForRecord,
} from "../support/notification-records.ts";
import { addAndroid, addIphone, startNativeApp, TOPIC } from "../support/native-app.ts";
import { NODE_COUNT } from "../support/nodes-behind-balancer.ts";

const NOW = Date.UTC(2026, 10, 21, 6, 30, 0);
const TTL_SECONDS = 3_600;
const EXPIRES_AT_SECONDS = NOW / 1_000 + TTL_SECONDS;

function createNotification(sound: Sound): Notification {
  return {
    title: "Backup failed 🔔",
    body: `The “${sound}” disk is full.\nNobody was hurt.`,
    sound,
    channel: "backups",
    link: "https://status.example.org/backup?id=7#log",
    image: "https://status.example.org/graph.png",
    icon: "https://status.example.org/db-1.png",
    timeSensitive: true,
  };
}

function assertIphoneMessage({ push, ...message }: IphoneMessage, id: string, sound: Sound): void {
  const { title, body, link, image, icon } = createNotification(sound);
  const {
    apnsId,
    streamId: _stream,
    connection: _connection,
    deviceToken: _token,
    ...content
  } = push;
  assert.match(apnsId, /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.deepEqual(content, {
    kind: "accepted",
    topic: TOPIC,
    pushType: "alert",
    priority: 10,
    expiresAtS: EXPIRES_AT_SECONDS,
    collapseId: id,
    payload: {
      aps: {
        alert: { title, body },
        sound: sound === "default" ? "default" : `${sound}.caf`,
        "thread-id": "backups",
        "interruption-level": "time-sensitive",
        "relevance-score": 1,
        "mutable-content": 1,
      },
      id,
      channel: "backups",
      link,
      image,
      icon,
      ts: NOW / 1_000,
    },
  });
  assert.equal(message.isMutable, true);
}

function assertAndroidMessage(delivery: FcmDelivery, id: string, sound: Sound): void {
  const { title, body, link, image, icon } = createNotification(sound);
  assert.deepEqual(delivery.data, {
    id,
    title,
    body,
    channel: "backups",
    sound,
    timeSensitive: "1",
    ts: String(NOW / 1_000),
    link,
    image,
    icon,
  });
  assert.deepEqual(
    [delivery.priority, delivery.ttlSeconds, delivery.collapseKey, delivery.notification],
    ["HIGH", TTL_SECONDS, null, null],
  );
}

function assertBrowserMessage(
  { text, urgency, ttlSeconds }: DeviceMessage,
  id: string,
  sound: Sound,
) {
  const { title, body, link, image, icon } = createNotification(sound);
  assert.deepEqual([urgency, ttlSeconds], ["high", TTL_SECONDS]);
  assert.equal(findDeclarativeFault(text), null);
  const { notification, ...envelope } = JSON.parse(text);
  const { navigate, ...shown } = notification;
  assert.deepEqual(envelope, { web_push: 8030, mutable: false });
  assert.ok(String(navigate).endsWith(`/n/${id}`));
  assert.deepEqual(shown, {
    title,
    body,
    image,
    icon,
    tag: id,
    dir: "auto",
    silent: false,
    requireInteraction: true,
    data: { id, channel: "backups", sound, ts: NOW / 1_000, link },
  });
}

test("one send reaches an iPhone, an Android phone and a browser with its texts, links and sound", async (t) => {
  const app = await startNativeApp(t, { now: () => NOW });
  const ann = await signUp(app, "Ann");
  const { iphone } = await addIphone(app, ann);
  const { android } = await addAndroid(app, ann);
  const { phone: browser } = await addDevice(app, ann, "Browser");
  for (const sound of SOUNDS) {
    const response = await ann.client.notify(createNotification(sound), {
      ttlSeconds: TTL_SECONDS,
    });
    assert.equal(response.message, "Delivered to 3 of 3 devices");
    assert.ok(response.responses.every(({ success }) => success));
    // Several nodes may have registered the devices, in any order.
    assert.deepEqual(response.responses.map(({ message }) => message).toSorted(), [
      "Accepted by Apple. Delivery to the device is up to the service.",
      "Accepted by Google. Delivery to the device is up to the service.",
      "Accepted by the browser's push service. Delivery to the device is up to the service.",
    ]);
    const id = getNotificationId(response);
    assertIphoneMessage(await iphone.next(), id, sound);
    assertAndroidMessage(await android.next(), id, sound);
    assertBrowserMessage(await browser.next(), id, sound);
    const { deliveries } = await waitForRecord(ann.client, id, areDeliveriesFinished);
    assert.deepEqual(
      deliveries
        .map(({ provider, state, attempts }) => `${provider} ${state} ${attempts}`)
        .toSorted(),
      ["apns accepted 1", "fcm accepted 1", "webpush accepted 1"],
    );
  }
  assert.equal(SOUNDS.length, 15);
  assert.equal(app.apns.delivered.length, 15);
  // Each process gets its own access token.
  const { issuedTokenCount } = app.fcm;
  assert.ok(
    issuedTokenCount >= 1 && issuedTokenCount <= NODE_COUNT,
    `${issuedTokenCount} access tokens`,
  );
});

test("absent fields are not in the payload, and the default sound applies", async (t) => {
  const app = await startNativeApp(t, { now: () => NOW });
  const ann = await signUp(app, "Ann");
  const { iphone } = await addIphone(app, ann);
  const { android } = await addAndroid(app, ann);
  const id = getNotificationId(await ann.client.notify({ title: "", body: "Plain" }));
  const { push } = await iphone.next();
  assert.deepEqual(push.payload, {
    aps: {
      alert: { body: "Plain" },
      sound: "default",
      "thread-id": "feed",
      "interruption-level": "active",
    },
    id,
    channel: "feed",
    ts: NOW / 1_000,
  });
  assert.deepEqual((await android.next()).data, {
    id,
    title: "",
    body: "Plain",
    channel: "feed",
    sound: "default",
    timeSensitive: "0",
    ts: String(NOW / 1_000),
  });
});

/** For each priority: Apple's level, priority and sound, Google's priority, and the urgency and silence of Web Push. */
const URGENCY_BY_PRIORITY: Readonly<Record<Priority, readonly unknown[]>> = {
  low: ["passive", 5, null, "NORMAL", "low", true],
  normal: ["active", 10, "default", "HIGH", "high", false],
  high: ["active", 10, "default", "HIGH", "high", false],
  emergency: ["time-sensitive", 10, "default", "HIGH", "high", false],
};

test("a priority reaches an iPhone, an Android phone and a browser", async (t) => {
  const app = await startNativeApp(t, { now: () => NOW });
  const ann = await signUp(app, "Ann");
  const { iphone } = await addIphone(app, ann);
  const { android } = await addAndroid(app, ann);
  const { phone: browser } = await addDevice(app, ann, "Browser");
  for (const priority of PRIORITIES) {
    await ann.client.notify({ title: "Door", body: "open", priority });
    const { interruptionLevel, sound, push } = await iphone.next();
    const androidMessage = await android.next();
    const browserMessage = await browser.next();
    const { notification } = JSON.parse(browserMessage.text);
    assert.deepEqual(
      [
        interruptionLevel,
        push.priority,
        sound,
        androidMessage.priority,
        browserMessage.urgency,
        notification.silent,
      ],
      URGENCY_BY_PRIORITY[priority],
      priority,
    );
    const expectedPriority = priority === "normal" ? undefined : priority;
    assert.equal(androidMessage.data["priority"], expectedPriority);
    assert.equal(push.payload["priority"], expectedPriority);
    const { items } = await ann.client.feed.list();
    assert.equal(items[0]?.priority, priority);
  }
});
