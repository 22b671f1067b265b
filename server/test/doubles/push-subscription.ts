import type { IncomingHttpHeaders } from "node:http";
import { ScriptedTarget } from "./scripted-target.ts";
import type { Accepted, Verdict } from "./push-rules.ts";
import type { PushScript } from "./push-script.ts";

/** An accepted message that a push service delivers to the device. */
export interface PushMessage extends Accepted {
  /** The id in the `Location` of the response. */
  readonly messageId: string;
  /** The encrypted body as received (RFC 8291). */
  readonly body: Buffer;
}

/** A request to a push service with its verdict. */
export interface PushRecord {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly verdict: Verdict;
  /** The scripted response that replaced the verdict, if any. */
  readonly script: PushScript | null;
}

/** The data of a new subscription. */
export interface SubscriptionRequest {
  /** The VAPID public key of the only allowed sender, base64url without padding. */
  readonly applicationServerKey: string;
  /** Delivers a valid message to the device. */
  readonly deliver: (message: PushMessage) => void;
}

/** A subscription at a push service, with the log of its requests. */
export class PushSubscription extends ScriptedTarget<PushRecord, PushScript> {
  readonly token: string;
  readonly endpoint: string;
  readonly applicationServerKey: string;
  readonly deliver: (message: PushMessage) => void;
  #isGone = false;

  constructor(
    location: { readonly token: string; readonly endpoint: string },
    request: SubscriptionRequest,
  ) {
    super("requests to this subscription");
    this.token = location.token;
    this.endpoint = location.endpoint;
    this.applicationServerKey = request.applicationServerKey;
    this.deliver = request.deliver;
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  /** Ends the subscription: later messages are answered 410. */
  remove(): void {
    this.#isGone = true;
  }
}
