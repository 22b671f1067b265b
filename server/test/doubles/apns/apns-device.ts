import { ScriptedTarget } from "../scripted-target.ts";
import type { ApnsRequestRecord, ApnsPush } from "./apns-push.ts";
import type { InstalledApp } from "./apns-rules.ts";
import type { ApnsScript } from "./apns-script.ts";

/** Apple's data about an app on a device. */
export interface ApnsRegistration {
  /** Hexadecimal, lower case. */
  readonly token: string;
  readonly topic: string;
  /** Delivers a valid push to the app. */
  readonly deliver: (push: ApnsPush) => void;
}

/** A device token known to Apple, with the log of its requests. */
export class ApnsDevice
  extends ScriptedTarget<ApnsRequestRecord, ApnsScript>
  implements InstalledApp
{
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

  /** Ends the registration: later pushes are answered 410 with this timestamp, in milliseconds since the epoch. */
  remove(atMs: number): void {
    this.#goneAtMs = atMs;
  }
}
