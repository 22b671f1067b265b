import { randomBytes } from "node:crypto";
import { Arrivals, type WaitOptions } from "../arrivals.ts";
import type { ApnsDevice } from "./apns-device.ts";
import { toFields } from "./apns-payload-rules.ts";
import type { ApnsRequestRecord, ApnsPush } from "./apns-push.ts";
import type { ApnsScript } from "./apns-script.ts";
import type { ApnsService } from "./apns-service.ts";

/** A push as the app reads it. Omitted fields are null. */
export interface IphoneMessage {
  readonly title: string | null;
  readonly subtitle: string | null;
  readonly body: string | null;
  readonly sound: string | null;
  readonly threadId: string | null;
  readonly interruptionLevel: string | null;
  readonly relevanceScore: number | null;
  /** True if a service extension may fetch an image before the notification is shown. */
  readonly isMutable: boolean;
  /** Keys next to `aps`. */
  readonly custom: Readonly<Record<string, unknown>>;
  /** The push as Apple accepted it. */
  readonly push: ApnsPush;
}

const TOKEN_BYTES = 32;

/** An iPhone with one app that is registered for pushes. */
export class SimulatedIphone {
  /** 64 hexadecimal digits, as the app sends them to its server. */
  readonly token: string;
  readonly #device: ApnsDevice;
  readonly #arrivals = new Arrivals<IphoneMessage>("pushes to the iPhone");

  /** Installs the app. Its token is valid only in the environment of this service. */
  constructor(service: ApnsService, topic: string = service.topics[0]) {
    this.token = randomBytes(TOKEN_BYTES).toString("hex");
    const deliver = (push: ApnsPush): void => this.#arrivals.add(readPush(push));
    this.#device = service.register({ token: this.token, topic, deliver });
  }

  /** Every push, in the order of arrival. */
  get messages(): readonly IphoneMessage[] {
    return this.#arrivals.all;
  }

  /** Notifications on the lock screen, newest last. A push with the collapse id of another replaces it. */
  get shownMessages(): readonly IphoneMessage[] {
    const messageByKey = new Map<string | IphoneMessage, IphoneMessage>();
    for (const message of this.#arrivals.all) {
      if (message.push.pushType !== "alert") continue;
      const collapseKey = message.push.collapseId ?? message;
      messageByKey.delete(collapseKey);
      messageByKey.set(collapseKey, message);
    }
    return [...messageByKey.values()];
  }

  /** Resolves with the oldest push that `next` has not returned yet. Rejects after the timeout. */
  async next(options: WaitOptions = {}): Promise<IphoneMessage> {
    return this.#arrivals.next(options);
  }

  /** Every request for this iPhone, including refused ones. */
  get requests(): readonly ApnsRequestRecord[] {
    return this.#device.requests;
  }

  /** Resolves with all requests for this iPhone once there are `count`, answered or not. */
  async waitForRequests(
    count: number,
    options: WaitOptions = {},
  ): Promise<readonly ApnsRequestRecord[]> {
    return this.#device.waitForRequests(count, options);
  }

  /** Scripts the next requests, one each. */
  script(...scripts: readonly ApnsScript[]): void {
    this.#device.script(...scripts);
  }

  /** Removes the app: later pushes are answered 410 `Unregistered` with this timestamp, in milliseconds since the epoch. */
  uninstall(atMs: number): void {
    this.#device.remove(atMs);
  }
}

function readPush(push: ApnsPush): IphoneMessage {
  const { aps: rawAps, ...custom } = push.payload;
  const aps = toFields(rawAps) ?? {};
  const alert = toFields(aps["alert"]) ?? { body: aps["alert"] };
  const sound = toFields(aps["sound"])?.["name"] ?? aps["sound"];
  return {
    title: toStringOrNull(alert["title"]),
    subtitle: toStringOrNull(alert["subtitle"]),
    body: toStringOrNull(alert["body"]),
    sound: toStringOrNull(sound),
    threadId: toStringOrNull(aps["thread-id"]),
    interruptionLevel: toStringOrNull(aps["interruption-level"]),
    relevanceScore: typeof aps["relevance-score"] === "number" ? aps["relevance-score"] : null,
    isMutable: aps["mutable-content"] === 1,
    custom,
    push,
  };
}

function toStringOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
