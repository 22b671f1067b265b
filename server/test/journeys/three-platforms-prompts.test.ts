import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { INTERACTION_LIMITS, LIMITS, type Notification } from "@tocsin/sdk";
import type { IphoneMessage } from "../doubles/apns/simulated-iphone.ts";
import { findDeclarativeFault } from "../doubles/find-declarative-fault.ts";
import type { FcmDelivery } from "../doubles/fcm/fcm-registration.ts";
import type { DeviceMessage } from "../doubles/simulated-device.ts";
import { addDevice, signUp } from "../support/app.ts";
import { addAndroid, addIphone, startNativeApp } from "../support/native-app.ts";

/** A prompt at every limit, in characters of four bytes. The push services refuse pushes that are too large. */
const LARGEST_PROMPT: Notification = {
  title: "🔔".repeat(LIMITS.titleLength),
  body: "🔔".repeat(LIMITS.bodyLength),
  link: "https://example.org/".padEnd(LIMITS.linkLength, "l"),
  image: "https://example.org/".padEnd(LIMITS.imageLength, "i"),
  choices: createChoices(INTERACTION_LIMITS.choices.max),
  allowText: true,
};

function createChoices(count: number): readonly string[] {
  const { choiceLength } = INTERACTION_LIMITS;
  return Array.from({ length: count }, (_, index) => `${index}${"🔔".repeat(choiceLength - 1)}`);
}

test("the largest prompt reaches each platform with its choices and a part of its title", async (t) => {
  const { ann, receive } = await startDevices(t);
  const { choices = [] } = LARGEST_PROMPT;
  const actions = (choices ?? []).map((choice, index) => [String(index + 1), choice]);
  const { promptId } = await ann.client.notify(LARGEST_PROMPT);
  const { iphone, android, browser } = await receive();
  const { notification } = browser;
  const texts = [
    [iphone.title, iphone.body ?? ""],
    [android.data["title"], android.data["body"]],
    [notification.title, notification.body],
  ];
  for (const [title, body] of texts) {
    assert.match(title ?? "", /^(?:🔔)+$/u);
    assert.equal(body, "");
  }
  const { link } = LARGEST_PROMPT;
  const members = { prompt: promptId, cause: "prompt", text: 1, actions, link, truncated: 1 };
  for (const received of [iphone.custom, notification.data]) {
    assert.deepEqual(received, { ...received, ...members });
  }
  const { actions: androidActions = "", ...data } = android.data;
  assert.deepEqual(data, { ...data, prompt: promptId, cause: "prompt", text: "1", truncated: "1" });
  assert.deepEqual([JSON.parse(androidActions), data["link"]], [actions, link]);
  const { category } = readAps(iphone);
  assert.deepEqual([category, iphone.isMutable], ["TOCSIN_PROMPT_TEXT", true]);
});

test("the end of a prompt replaces its push quietly on each platform, and removes its buttons", async (t) => {
  const { ann, receive } = await startDevices(t);
  const ends = {
    "Ann answered: yes": (id: string) => ann.client.prompts.answer(id, { choice: "yes" }),
    Withdrawn: (id: string) => ann.client.askedPrompts.cancel(id),
  };
  for (const [title, end] of Object.entries(ends)) {
    const choices = ["yes", "no"];
    const prompt = { title: "Deploy?", body: "", priority: "high", choices } as const;
    const { promptId = "" } = await ann.client.notify(prompt);
    const promptPushes = await receive();
    assert.equal(readAps(promptPushes.iphone)["category"], "TOCSIN_PROMPT");
    await end(promptId);
    const endPushes = await receive();
    assert.deepEqual(readPresentation(endPushes), {
      titles: [title, title, title],
      bodies: ["Deploy?", "Deploy?", "Deploy?"],
      tags: [promptId, promptId, promptId],
      sounds: [null, undefined, null],
      loudness: ["passive", "HIGH", true],
      buttons: [undefined, undefined, undefined, undefined],
    });
    assert.deepEqual(readPresentation(promptPushes).tags, [promptId, promptId, promptId]);
    assert.equal(promptPushes.topic, endPushes.topic);
  }
});

/** A push as each platform received it. */
interface Received {
  readonly iphone: IphoneMessage;
  readonly android: FcmDelivery;
  readonly browser: ReturnType<typeof parseBrowserMessage>;
  /** The `Topic` of the push to the browser, under which a waiting push replaces an earlier one. */
  readonly topic: string | null;
}

/** Starts a server and the devices of Ann; `receive` resolves with the next push to all of them. */
async function startDevices(t: TestContext) {
  const app = await startNativeApp(t);
  const ann = await signUp(app, "Ann");
  const { iphone } = await addIphone(app, ann);
  const { android } = await addAndroid(app, ann);
  const { phone } = await addDevice(app, ann, "Browser");
  const receive = async (): Promise<Received> => {
    const message = await phone.next();
    return {
      iphone: await iphone.next(),
      android: await android.next(),
      browser: parseBrowserMessage(message),
      topic: message.topic,
    };
  };
  return { ann, receive };
}

function parseBrowserMessage({ text }: DeviceMessage) {
  assert.equal(findDeclarativeFault(text), null);
  return JSON.parse(text);
}

function readAps({ push }: IphoneMessage): Readonly<Record<string, unknown>> {
  return Object(push.payload["aps"]);
}

/** Returns how the iPhone, the Android phone and the browser present a push, in this order. */
function readPresentation({
  iphone,
  android: { data, priority },
  browser: { notification },
}: Received) {
  return {
    titles: [iphone.title, data["title"], notification.title],
    bodies: [iphone.body, data["body"], notification.body],
    tags: [iphone.push.collapseId, data["tag"], notification.tag],
    sounds: [iphone.sound, data["sound"], notification.data.sound],
    loudness: [iphone.interruptionLevel, priority, notification.silent],
    buttons: [
      readAps(iphone)["category"],
      iphone.custom["actions"],
      data["actions"],
      notification.data.actions,
    ],
  };
}
