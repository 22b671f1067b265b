import type { IncomingHttpHeaders } from "node:http";
import { ScriptedAddress } from "./scripted-address.ts";
import type { Accepted, Verdict } from "./push-rules.ts";
import type { ScriptedAnswer } from "./scripted-answer.ts";

/** A message that a push service took and passes on to the device. */
export interface PushMessage extends Accepted {
  /** Names the message in the `Location` of the answer. */
  readonly messageId: string;
  /** The encrypted body as it came (RFC 8291). */
  readonly body: Buffer;
}

/** One request to a push service and what the service thought of it. */
export interface Judged {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly verdict: Verdict;
  /** The answer that the sender got instead of the verdict, if a test asked for one. */
  readonly scripted: ScriptedAnswer | null;
}

/** Facts that a push service needs about a new subscription. */
export interface SubscriptionRequest {
  /** The VAPID public key that alone may send, base64url without padding. */
  readonly applicationServerKey: string;
  /** Takes a good message to the device. */
  readonly deliver: (message: PushMessage) => void;
}

/** One subscription as the push service holds it, with the log of what was sent to it. */
export class PushSubscription extends ScriptedAddress<Judged, ScriptedAnswer> {
  readonly token: string;
  readonly endpoint: string;
  readonly applicationServerKey: string;
  readonly deliver: (message: PushMessage) => void;
  #isGone = false;

  constructor(at: { readonly token: string; readonly endpoint: string }, of: SubscriptionRequest) {
    super("requests to this subscription");
    this.token = at.token;
    this.endpoint = at.endpoint;
    this.applicationServerKey = of.applicationServerKey;
    this.deliver = of.deliver;
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  /** Ends the subscription: every later message is answered 410. */
  remove(): void {
    this.#isGone = true;
  }
}
