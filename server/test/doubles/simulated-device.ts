import { Arrivals } from "./arrivals.ts";
import type { WaitOptions } from "./arrivals.ts";
import { makeReceiverKeys } from "./push-decrypt.ts";
import type { PublicKeys, ReceiverKeys } from "./push-decrypt.ts";
import type { PushService } from "./push-service.ts";
import type { Judged, PushMessage, PushSubscription } from "./push-subscription.ts";
import type { ScriptedAnswer } from "./scripted-answer.ts";

/** A message that a device has read. */
export interface DeviceMessage {
  /** The decrypted payload, UTF-8. */
  readonly text: string;
  readonly urgency: string;
  readonly topic: string | null;
  readonly ttlSeconds: number;
}

type Arrival = { readonly message: DeviceMessage } | { readonly error: Error };

/** A device without a browser: it subscribes, and reads what its push service brings. */
export class SimulatedDevice {
  /** As `PushSubscription.toJSON()` of a browser gives it. */
  readonly subscription: { readonly endpoint: string; readonly keys: PublicKeys };
  readonly #subscription: PushSubscription;
  readonly #keys: ReceiverKeys;
  readonly #arrivals = new Arrivals<Arrival>("messages to the device");

  /** Subscribes at a push service for the sender with this VAPID public key, base64url. */
  constructor(service: PushService, applicationServerKey: string) {
    this.#keys = makeReceiverKeys();
    this.#subscription = service.subscribe({
      applicationServerKey,
      deliver: (message) => this.#arrivals.add(this.#read(message)),
    });
    const { endpoint } = this.#subscription;
    this.subscription = { endpoint, keys: this.#keys.publicKeys };
  }

  /** Every message that could be read, in the order of arrival. */
  get messages(): readonly DeviceMessage[] {
    return this.#arrivals.all.flatMap((arrival) => ("message" in arrival ? [arrival.message] : []));
  }

  /** Resolves with the next message; rejects when time is up, or where it cannot be decrypted. */
  async next(options: WaitOptions = {}): Promise<DeviceMessage> {
    const arrival = await this.#arrivals.next(options);
    if ("error" in arrival) throw arrival.error;
    return arrival.message;
  }

  /** Every request to the device's endpoint, refused ones included. */
  get judged(): readonly Judged[] {
    return this.#subscription.judged;
  }

  /** Resolves with every request to the endpoint once there are `count`, answered or not. */
  async received(count: number, options: WaitOptions = {}): Promise<readonly Judged[]> {
    return this.#subscription.received(count, options);
  }

  /** Plans how the push service answers the next requests, one each. */
  script(...answers: readonly ScriptedAnswer[]): void {
    this.#subscription.script(...answers);
  }

  /** Ends the subscription: later messages are answered 410. */
  unsubscribe(): void {
    this.#subscription.remove();
  }

  #read({ body, urgency, topic, ttlSeconds }: PushMessage): Arrival {
    try {
      const text = this.#keys.decrypt(body).toString();
      return { message: { text, urgency, topic, ttlSeconds } };
    } catch (cause) {
      return { error: new Error("The device cannot decrypt the message.", { cause }) };
    }
  }
}
