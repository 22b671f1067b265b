import { Arrivals } from "../arrivals.ts";
import type { WaitOptions } from "../arrivals.ts";
import type { ApnsJudged, ApnsPush } from "./apns-push.ts";
import type { InstalledApp } from "./apns-rules.ts";
import type { ApnsScripted } from "./apns-script.ts";

/** What Apple needs to know of an app on a device. */
export interface ApnsRegistration {
  /** Hexadecimal, lower case. */
  readonly token: string;
  readonly topic: string;
  /** Takes a good push to the app. */
  readonly deliver: (push: ApnsPush) => void;
}

/** One device token as Apple holds it, with the log of what was sent to it. */
export class ApnsDevice implements InstalledApp {
  readonly token: string;
  readonly topic: string;
  readonly deliver: (push: ApnsPush) => void;
  readonly #log = new Arrivals<ApnsJudged>("requests to this device token");
  readonly #script: ApnsScripted[] = [];
  #goneAtMs: number | null = null;

  constructor({ token, topic, deliver }: ApnsRegistration) {
    this.token = token;
    this.topic = topic;
    this.deliver = deliver;
  }

  get judged(): readonly ApnsJudged[] {
    return this.#log.all;
  }

  /** Milliseconds since the epoch; null while the app is installed. */
  get goneAtMs(): number | null {
    return this.#goneAtMs;
  }

  /** Ends the registration: every later push is answered 410 with this moment, in milliseconds since the epoch. */
  remove(atMs: number): void {
    this.#goneAtMs = atMs;
  }

  /** Plans the answers to the next requests, one each; after them the service decides again. */
  script(...answers: readonly ApnsScripted[]): void {
    this.#script.push(...answers);
  }

  /** Resolves with every request so far once there are `count`, answered or not. */
  async received(count: number, options: WaitOptions = {}): Promise<readonly ApnsJudged[]> {
    return this.#log.received(count, options);
  }

  /** Takes the next planned answer away, or returns null where none is planned. */
  takeScripted(): ApnsScripted | null {
    return this.#script.shift() ?? null;
  }

  /** Adds one request to the log. */
  record(judged: ApnsJudged): void {
    this.#log.add(judged);
  }
}
