import { Arrivals } from "../arrivals.ts";
import type { WaitOptions } from "../arrivals.ts";
import type { FcmDelivery, FcmRegistration, JudgedSend } from "./fcm-registration.ts";
import type { ScriptedAnswer } from "./fcm-script.ts";
import type { FcmService } from "./fcm-service.ts";

/** An Android phone without Android: it has the app, a registration, and reads what FCM brings. */
export class SimulatedAndroid {
  /** The registration token that the app would hand to its server. */
  readonly token: string;
  /** The Firebase installation id; the same phone. */
  readonly fid: string;
  readonly #registration: FcmRegistration;
  readonly #seen = new Set<string>();
  readonly #deliveries: FcmDelivery[] = [];
  readonly #messages = new Arrivals<FcmDelivery>("messages to the phone");

  /** Installs the app; of another Firebase project than the service's where one is named. */
  constructor(service: FcmService, options: { readonly projectId?: string } = {}) {
    this.#registration = service.register({
      ...options,
      deliver: (delivery) => this.#take(delivery),
    });
    this.token = this.#registration.token;
    this.fid = this.#registration.fid;
  }

  /** Notifications that the app showed, in the order of arrival: the second message with the same `data.id` replaces and is not here. */
  get messages(): readonly FcmDelivery[] {
    return this.#messages.all;
  }

  /** Messages from FCM, repetitions included. */
  get deliveries(): readonly FcmDelivery[] {
    return this.#deliveries;
  }

  /** Resolves with the next message that the app shows; rejects when time is up. */
  async next(options: WaitOptions = {}): Promise<FcmDelivery> {
    return this.#messages.next(options);
  }

  /** Every request that named the phone, refused ones included. */
  get judged(): readonly JudgedSend[] {
    return this.#registration.judged;
  }

  /** Resolves with every request that named the phone once there are `count`, answered or not. */
  async received(count: number, options: WaitOptions = {}): Promise<readonly JudgedSend[]> {
    return this.#registration.received(count, options);
  }

  /** Plans how FCM answers the next requests that name the phone, one each. */
  script(...answers: readonly ScriptedAnswer[]): void {
    this.#registration.script(...answers);
  }

  /** Removes the app: later messages are answered 404 UNREGISTERED. */
  uninstall(): void {
    this.#registration.remove();
  }

  #take(delivery: FcmDelivery): void {
    this.#deliveries.push(delivery);
    const id = delivery.data["id"];
    if (id !== undefined && this.#seen.has(id)) return;
    if (id !== undefined) this.#seen.add(id);
    this.#messages.add(delivery);
  }
}
