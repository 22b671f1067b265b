import { Arrivals, type WaitOptions } from "../arrivals.ts";
import type { FcmDelivery, FcmRegistration, SendRecord } from "./fcm-registration.ts";
import type { FcmScript } from "./fcm-script.ts";
import type { FcmService } from "./fcm-service.ts";

/** A simulated Android phone with the app, which receives FCM's messages. */
export class SimulatedAndroid {
  /** The registration token that the app would send to its server. */
  readonly token: string;
  /** The Firebase installation id of the same phone. */
  readonly fid: string;
  readonly #registration: FcmRegistration;
  readonly #seen = new Set<string>();
  readonly #deliveries: FcmDelivery[] = [];
  readonly #messages = new Arrivals<FcmDelivery>("messages to the phone");

  /** Installs the app, by default in the service's Firebase project. */
  constructor(service: FcmService, options: { readonly projectId?: string } = {}) {
    this.#registration = service.register({
      ...options,
      deliver: (delivery) => this.#receive(delivery),
    });
    this.token = this.#registration.token;
    this.fid = this.#registration.fid;
  }

  /** Notifications that the app showed, in order. Only the first message with a `data.id` is listed. */
  get messages(): readonly FcmDelivery[] {
    return this.#messages.all;
  }

  /** All messages from FCM, including repeated ones. */
  get deliveries(): readonly FcmDelivery[] {
    return this.#deliveries;
  }

  /** Resolves with the next message that the app shows. Rejects after the timeout. */
  async next(options: WaitOptions = {}): Promise<FcmDelivery> {
    return this.#messages.next(options);
  }

  /** Every request for the phone, including refused ones. */
  get requests(): readonly SendRecord[] {
    return this.#registration.requests;
  }

  /** Resolves with all requests for the phone once there are `count`, answered or not. */
  async waitForRequests(count: number, options: WaitOptions = {}): Promise<readonly SendRecord[]> {
    return this.#registration.waitForRequests(count, options);
  }

  /** Scripts the next requests for the phone, one each. */
  script(...scripts: readonly FcmScript[]): void {
    this.#registration.script(...scripts);
  }

  /** Removes the app: later messages are answered 404 UNREGISTERED. */
  uninstall(): void {
    this.#registration.remove();
  }

  #receive(delivery: FcmDelivery): void {
    this.#deliveries.push(delivery);
    const id = delivery.data["id"];
    if (id !== undefined && this.#seen.has(id)) return;
    if (id !== undefined) this.#seen.add(id);
    this.#messages.add(delivery);
  }
}
