import { randomBytes } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { ScriptedTarget } from "../scripted-target.ts";
import type { AndroidMessage, WellFormed } from "./fcm-message-rules.ts";
import type { FcmScript } from "./fcm-script.ts";
import type { GoogleError } from "./google-errors.ts";

/** A message on its way to a device. */
export interface FcmDelivery extends AndroidMessage {
  /** The name in the response: `projects/<id>/messages/0:…`. */
  readonly name: string;
  /** The kind of target that the sender used. */
  readonly sentTo: "token" | "fid";
}

/** FCM's decision about a request: accepted under a name, or refused with an error. */
export type SendVerdict =
  | ({ readonly kind: "accepted"; readonly name: string } & Omit<WellFormed, "kind">)
  | { readonly kind: "refused"; readonly error: GoogleError };

/** A request to `messages:send` with FCM's verdict. */
export interface SendRecord {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly verdict: SendVerdict;
  /** The scripted response that replaced the verdict, if any. */
  readonly script: FcmScript | null;
}

/** An installation of an app that is registered with FCM, with the log of its requests. */
export class FcmRegistration extends ScriptedTarget<SendRecord, FcmScript> {
  readonly token: string;
  readonly fid: string;
  readonly projectId: string;
  readonly deliver: (message: FcmDelivery) => void;
  #isGone = false;

  constructor(options: {
    readonly projectId: string;
    readonly deliver: (message: FcmDelivery) => void;
  }) {
    super("requests for this registration");
    this.fid = generateFid();
    const tokenEnd = randomBytes(TOKEN_END_CHARACTERS).toString("base64url");
    this.token = `${this.fid}:APA91b${tokenEnd.slice(0, TOKEN_END_CHARACTERS)}`;
    this.projectId = options.projectId;
    this.deliver = options.deliver;
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  /** Ends the registration: later messages are answered 404. */
  remove(): void {
    this.#isGone = true;
  }
}

/** The length of real tokens after `APA91b`. */
const TOKEN_END_CHARACTERS = 134;
const FID_BYTES = 17;
/** Firebase cuts the last character of the base64url text. */
const FID_CHARACTERS = 22;

/** Generates a Firebase installation id: its first four bits are 0111, so that it begins with c, d, e or f. */
function generateFid(): string {
  const bytes = randomBytes(FID_BYTES);
  bytes.writeUInt8(0x70 | (bytes.readUInt8(0) & 0x0f), 0);
  return bytes.toString("base64url").slice(0, FID_CHARACTERS);
}
