import { randomBytes } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { ScriptedAddress } from "../scripted-address.ts";
import type { AndroidMessage, WellFormed } from "./fcm-message-rules.ts";
import type { ScriptedAnswer } from "./fcm-script.ts";
import type { GoogleError } from "./google-errors.ts";

/** A message on its way to a device. */
export interface FcmDelivery extends AndroidMessage {
  /** As the answer named it: `projects/<id>/messages/0:…`. */
  readonly name: string;
  /** The name that the sender used, of the two. */
  readonly sentTo: "token" | "fid";
}

export type SendVerdict =
  | ({ readonly kind: "accepted"; readonly name: string } & Omit<WellFormed, "kind">)
  | { readonly kind: "refused"; readonly error: GoogleError };

/** One request to `messages:send` and what FCM thinks of it. */
export interface JudgedSend {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly verdict: SendVerdict;
  /** The answer that the sender got instead of the verdict, if a test asked for one. */
  readonly scripted: ScriptedAnswer | null;
}

/** One installation of an app as FCM knows it, with the log of what was sent to it. */
export class FcmRegistration extends ScriptedAddress<JudgedSend, ScriptedAnswer> {
  readonly token: string;
  readonly fid: string;
  readonly projectId: string;
  readonly deliver: (message: FcmDelivery) => void;
  #isGone = false;

  constructor(of: {
    readonly projectId: string;
    readonly deliver: (message: FcmDelivery) => void;
  }) {
    super("requests for this registration");
    this.fid = makeFid();
    this.token = `${this.fid}:APA91b${randomBytes(101).toString("base64url").slice(0, 134)}`;
    this.projectId = of.projectId;
    this.deliver = of.deliver;
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  /** Ends the registration: every later message is answered 404. */
  remove(): void {
    this.#isGone = true;
  }
}

/** 17 bytes, the first four bits 0111, as 22 characters of base64url: it begins with c, d, e or f. */
function makeFid(): string {
  const bytes = randomBytes(17);
  bytes.writeUInt8(0x70 | (bytes.readUInt8(0) & 0x0f), 0);
  return bytes.toString("base64url").slice(0, 22);
}
