import type { NewDevice } from "@tocsin/sdk";
import { SimulatedIphone } from "@tocsin/server/doubles/apns/simulated-iphone.ts";
import { SimulatedAndroid } from "@tocsin/server/doubles/fcm/simulated-android.ts";
import { SimulatedDevice } from "@tocsin/server/doubles/simulated-device.ts";
import type { DemoServices } from "./servers.ts";

/** A simulated device. */
export interface DemoDevice {
  /** The registration that the app on the device sends to the server. */
  readonly registration: NewDevice;
  /** Resolves with the next notification; rejects if none arrives within seconds. */
  waitForNext(): Promise<ReceivedContent>;
}

/** A notification as a device received it. */
export interface ReceivedContent {
  readonly title: string;
  readonly body: string;
  /** The other fields, under the platform's own names. Omits absent fields. */
  readonly fields: Readonly<Record<string, string | boolean>>;
}

/** A push service's refusal of a device. */
export interface DemoRefusal {
  readonly status: number;
  /** The service's own error code. */
  readonly reason: string;
}

/** An Android phone whose app can be removed. */
export interface DemoAndroid extends DemoDevice {
  uninstall(): void;
  /** Returns the refusal of the last notification; throws if the service accepted the notification. */
  getRefusal(): DemoRefusal;
}

/** Creates a simulated iPhone with the app from the App Store. */
export function createIphone({ apns }: DemoServices): DemoDevice {
  const iphone = new SimulatedIphone(apns);
  const { environment } = apns;
  const push = { provider: "apns", token: iphone.token, environment } as const;
  return {
    registration: { name: "iPhone", platform: "ios", push },
    async waitForNext() {
      const { title, body, sound, threadId, interruptionLevel, custom } = await iphone.next();
      const fields = pickDefinedFields({
        sound,
        link: custom["link"],
        "thread-id": threadId,
        "interruption-level": interruptionLevel,
      });
      return { title: title ?? "", body: body ?? "", fields };
    },
  };
}

/** Creates a simulated Android phone with the app. */
export function createAndroid({ fcm }: DemoServices): DemoAndroid {
  const phone = new SimulatedAndroid(fcm);
  return {
    registration: {
      name: "Android",
      platform: "android",
      push: { provider: "fcm", token: phone.token },
    },
    async waitForNext() {
      const { data, priority } = await phone.next();
      const { title = "", body = "", sound, link, channel, timeSensitive } = data;
      return {
        title,
        body,
        fields: pickDefinedFields({ sound, link, channel, timeSensitive, priority }),
      };
    },
    uninstall: () => phone.uninstall(),
    getRefusal: () => readLastRefusal(phone),
  };
}

/** Creates a simulated browser, subscribed with the server's VAPID key in base64url. */
export function createBrowser({ webPush }: DemoServices, vapidPublicKey: string): DemoDevice {
  const browser = new SimulatedDevice(webPush, vapidPublicKey);
  const push = { provider: "webpush", ...browser.subscription } as const;
  return {
    registration: { name: "Browser", platform: "web", push },
    async waitForNext() {
      const { text, urgency } = await browser.next();
      // The server sends every browser a declarative push message.
      const { notification } = JSON.parse(text) as DeclarativePushMessage;
      const { title, body, requireInteraction, data } = notification;
      const { sound, link, channel } = data;
      return {
        title,
        body,
        fields: pickDefinedFields({ sound, link, channel, requireInteraction, urgency }),
      };
    },
  };
}

interface DeclarativePushMessage {
  readonly notification: {
    readonly title: string;
    readonly body: string;
    readonly requireInteraction?: boolean;
    readonly data: Readonly<Record<string, unknown>>;
  };
}

function readLastRefusal({ requests }: SimulatedAndroid): DemoRefusal {
  const verdict = requests.at(-1)?.verdict;
  if (verdict?.kind !== "refused") throw new Error("FCM did not refuse the phone without the app.");
  const { status, body } = verdict.error;
  // Every Google API error has this form.
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

function pickDefinedFields(fields: Readonly<Record<string, unknown>>): ReceivedContent["fields"] {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) =>
      typeof value === "string" || typeof value === "boolean" ? [[name, value]] : [],
    ),
  );
}
