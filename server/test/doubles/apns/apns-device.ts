import { ScriptedAddress } from "../scripted-address.ts";
import type { ApnsJudged, ApnsPush } from "./apns-push.ts";
import type { InstalledApp } from "./apns-rules.ts";
import type { ApnsScripted } from "./apns-script.ts";

/** Facts that Apple needs about an app on a device. */
export interface ApnsRegistration {
  /** Hexadecimal, lower case. */
  readonly token: string;
  readonly topic: string;
  /** Takes a good push to the app. */
  readonly deliver: (push: ApnsPush) => void;
}

/** One device token as Apple holds it, with the log of what was sent to it. */
export class ApnsDevice extends ScriptedAddress<ApnsJudged, ApnsScripted> implements InstalledApp {
  readonly token: string;
  readonly topic: string;
  readonly deliver: (push: ApnsPush) => void;
  #goneAtMs: number | null = null;

  constructor({ token, topic, deliver }: ApnsRegistration) {
    super("requests to this device token");
    this.token = token;
    this.topic = topic;
    this.deliver = deliver;
  }

  /** Milliseconds since the epoch; null while the app is installed. */
  get goneAtMs(): number | null {
    return this.#goneAtMs;
  }

  /** Ends the registration: every later push is answered 410 with this moment, in milliseconds since the epoch. */
  remove(atMs: number): void {
    this.#goneAtMs = atMs;
  }
}
