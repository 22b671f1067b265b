import { Arrivals, type WaitOptions } from "./arrivals.ts";
import { generateReceiverKeys, type PublicKeys, type ReceiverKeys } from "./receiver-keys.ts";
import type { PushService } from "./push-service.ts";
import type { PushRecord, PushMessage, PushSubscription } from "./push-subscription.ts";
import type { PushScript } from "./push-script.ts";

/** A message that a device has decrypted. */
export interface DeviceMessage {
  /** The decrypted payload, UTF-8. */
  readonly text: string;
  readonly urgency: string;
  readonly topic: string | null;
  readonly ttlSeconds: number;
}

type Arrival = { readonly message: DeviceMessage } | { readonly error: Error };

/** A device without a browser, which subscribes and decrypts its messages. */
export class SimulatedDevice {
  /** The result of `PushSubscription.toJSON()` in a browser. */
  readonly subscription: { readonly endpoint: string; readonly keys: PublicKeys };
  readonly #subscription: PushSubscription;
  readonly #keys: ReceiverKeys;
  readonly #arrivals = new Arrivals<Arrival>("messages to the device");

  /** Subscribes at a push service for the sender with this VAPID public key, base64url. */
  constructor(service: PushService, applicationServerKey: string) {
    this.#keys = generateReceiverKeys();
    this.#subscription = service.subscribe({
      applicationServerKey,
      deliver: (message) => this.#arrivals.add(this.#read(message)),
    });
    const { endpoint } = this.#subscription;
    this.subscription = { endpoint, keys: this.#keys.publicKeys };
  }

  /** Every decrypted message, in order of arrival. */
  get messages(): readonly DeviceMessage[] {
    return this.#arrivals.all.flatMap((arrival) => ("message" in arrival ? [arrival.message] : []));
  }

  /** Resolves with the next message. Rejects after the timeout, or if it cannot be decrypted. */
  async next(options: WaitOptions = {}): Promise<DeviceMessage> {
    const arrival = await this.#arrivals.next(options);
    if ("error" in arrival) throw arrival.error;
    return arrival.message;
  }

  /** Every request to the device's endpoint, including refused ones. */
  get requests(): readonly PushRecord[] {
    return this.#subscription.requests;
  }

  /** Resolves with all requests to the endpoint once there are `count`, answered or not. */
  async waitForRequests(count: number, options: WaitOptions = {}): Promise<readonly PushRecord[]> {
    return this.#subscription.waitForRequests(count, options);
  }

  /** Scripts the next requests, one each. */
  script(...scripts: readonly PushScript[]): void {
    this.#subscription.script(...scripts);
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
