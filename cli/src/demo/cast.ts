import type { NewDevice } from "@tocsin/sdk";
import { SimulatedIphone } from "@tocsin/server/doubles/apns/simulated-iphone.ts";
import { SimulatedAndroid } from "@tocsin/server/doubles/fcm/simulated-android.ts";
import { SimulatedDevice } from "@tocsin/server/doubles/simulated-device.ts";
import type { Services } from "./stage.ts";

/** A simulated device. */
export interface Actor {
  /** The registration that its app sends to the server. */
  readonly registration: NewDevice;
  /** Resolves with the next notification; rejects if none arrives within seconds. */
  next(): Promise<Reading>;
}

/** A notification as a device received it. */
export interface Reading {
  readonly title: string;
  readonly body: string;
  /** The other fields, under the platform's own names; unsent ones are left out. */
  readonly fields: Readonly<Record<string, string | boolean>>;
}

/** A push service's refusal of a device. */
export interface Refusal {
  readonly status: number;
  /** The service's own error code. */
  readonly reason: string;
}

/** An Android phone, from which the app can be removed. */
export interface AndroidActor extends Actor {
  uninstall(): void;
  /** Throws if the last notification for it was not refused. */
  refusal(): Refusal;
}

/** Returns an iPhone with the app from the App Store. */
export function makeIphone({ apns }: Services): Actor {
  const iphone = new SimulatedIphone(apns);
  const { environment } = apns;
  const push = { provider: "apns", token: iphone.token, environment } as const;
  return {
    registration: { name: "iPhone", platform: "ios", push },
    async next() {
      const { title, body, sound, threadId, interruptionLevel, custom } = await iphone.next();
      const fields = known({
        sound,
        link: custom["link"],
        "thread-id": threadId,
        "interruption-level": interruptionLevel,
      });
      return { title: title ?? "", body: body ?? "", fields };
    },
  };
}

/** Returns an Android phone with the app. */
export function makeAndroid({ fcm }: Services): AndroidActor {
  const phone = new SimulatedAndroid(fcm);
  return {
    registration: {
      name: "Android",
      platform: "android",
      push: { provider: "fcm", token: phone.token },
    },
    async next() {
      const { data, priority } = await phone.next();
      const { title = "", body = "", sound, link, channel, timeSensitive } = data;
      return { title, body, fields: known({ sound, link, channel, timeSensitive, priority }) };
    },
    uninstall: () => phone.uninstall(),
    refusal: () => refusalOf(phone),
  };
}

/** Returns a browser that subscribed for the server with this VAPID key, base64url. */
export function makeBrowser({ webPush }: Services, vapidPublicKey: string): Actor {
  const browser = new SimulatedDevice(webPush, vapidPublicKey);
  const push = { provider: "webpush", ...browser.subscription } as const;
  return {
    registration: { name: "Browser", platform: "web", push },
    async next() {
      const { text, urgency } = await browser.next();
      // The declarative push message, which our own server sends to every browser.
      const { notification } = JSON.parse(text) as Declarative;
      const { title, body, requireInteraction, data } = notification;
      const { sound, link, channel } = data;
      return { title, body, fields: known({ sound, link, channel, requireInteraction, urgency }) };
    },
  };
}

interface Declarative {
  readonly notification: {
    readonly title: string;
    readonly body: string;
    readonly requireInteraction?: boolean;
    readonly data: Readonly<Record<string, unknown>>;
  };
}

function refusalOf({ judged }: SimulatedAndroid): Refusal {
  const verdict = judged.at(-1)?.verdict;
  if (verdict?.kind !== "refused") throw new Error("FCM did not refuse the phone without the app.");
  const { status, body } = verdict.error;
  // The form of every Google API error.
  const { error } = JSON.parse(body) as GoogleErrorBody;
  const detail = error.details?.find(({ errorCode }) => errorCode !== undefined);
  return { status, reason: detail?.errorCode ?? error.status };
}

interface GoogleErrorBody {
  readonly error: {
    readonly status: string;
    readonly details?: readonly { readonly errorCode?: string }[];
  };
}

function known(fields: Readonly<Record<string, unknown>>): Reading["fields"] {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) =>
      typeof value === "string" || typeof value === "boolean" ? [[name, value]] : [],
    ),
  );
}
