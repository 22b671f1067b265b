import type { NotificationContent } from "@tocsin/sdk";

/** A notification on its way to devices; its body is plain text, also where the feed renders Markdown. */
export interface Message extends NotificationContent {
  /** The notification's id: the collapse id, tag or topic on the device, so that a repeated send replaces. */
  readonly notificationId: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** Milliseconds since the epoch; the remaining life is passed to the push service at each attempt. */
  readonly expiresAt: number;
  /** For bulk: resolves when the message may go. Where messages queue, all others go before it. */
  readonly turn?: () => Promise<void>;
}

/** A browser's push subscription (W3C Push API): keys are base64url without padding. */
export interface WebPushAddress {
  readonly provider: "webpush";
  readonly endpoint: string;
  readonly keys: { readonly p256dh: string; readonly auth: string };
}

/** An Apple device token: lower-case hexadecimal, of no fixed length. */
export interface ApnsAddress {
  readonly provider: "apns";
  readonly token: string;
  readonly environment: "production" | "sandbox";
  /** True once Apple took a message for the token in this environment; until then the app may have named the wrong one. */
  readonly isConfirmed?: boolean;
}

/** A Firebase registration token or Firebase installation id. */
export interface FcmAddress {
  readonly provider: "fcm";
  readonly kind: "token" | "fid";
  readonly token: string;
}

export type Address = WebPushAddress | ApnsAddress | FcmAddress;

export type ProviderName = Address["provider"];

/**
 * Why an attempt ended as it did: a stable code for programs, and a short detail for people.
 * The detail never holds a token, an endpoint or text of the push service; a host name may stand in it.
 */
export interface Reason {
  readonly code: ReasonCode;
  readonly detail: string | null;
}

export type ReasonCode =
  | "transient"
  | "ambiguous"
  | "unreachable"
  | "rate_limited"
  | "suspect"
  | "payload_too_large"
  | "rejected"
  | "endpoint_not_allowed"
  | "provider_misconfigured"
  | "subscription_key_changed"
  | "device_invalid"
  | "device_gone";

/** The result of one attempt. */
export type Outcome =
  | {
      readonly kind: "accepted";
      readonly receipt: string | null;
      /** Replaces the stored address, if the answer taught us more about it. */
      readonly learned?: Address;
    }
  /** The address has ended, unless it was registered after `asOf` (milliseconds since the epoch). */
  | { readonly kind: "gone"; readonly asOf: number; readonly reason: Reason }
  /** This message can never reach this address, which may itself be good. */
  | { readonly kind: "rejected"; readonly reason: Reason }
  /** `afterMs` is the shortest wait that the push service asked for; `counted` is false if no request was sent. */
  | {
      readonly kind: "retry";
      readonly reason: Reason;
      readonly afterMs: number | null;
      readonly counted: boolean;
      /** True if the wait is for every device behind the same credential, and not for this one alone. */
      readonly isForAll?: boolean;
      /** True if this says nothing about the service's health: for want of room or time of ours, it was not asked. */
      readonly isNoSign?: boolean;
      /** True if this process or its machine lacks something, which the operator is told. */
      readonly isOurs?: boolean;
    }
  /** Our credentials are wrong. Everything behind the same credential is held, and no device is blamed. */
  | {
      readonly kind: "refused";
      readonly reason: Reason;
      /** True if the answer may concern this device alone, which is then held by itself and stops no other. */
      readonly mayBeDevice?: boolean;
    };

/** An attempt that asks to be admitted. */
export interface PlaceRequest {
  readonly address: Address;
  /** The owner of the device. */
  readonly accountId: string;
  /** True for bulk: other messages go before it. */
  readonly isBulk: boolean;
  readonly signal: AbortSignal;
  /** Called if it has to wait for a host that may never answer, so that no other attempt waits behind it. */
  readonly onAside: () => void;
}

/** A place, to be given back once; or what the attempt came to that found none. */
export type Place =
  | { readonly kind: "taken"; readonly leave: () => void }
  | { readonly kind: "none"; readonly outcome: Outcome };

/** Speaks one push protocol. An answer of the push service is always an Outcome, never an exception. */
export interface Provider {
  readonly name: ProviderName;
  /** True if the first message to a service goes alone, because the service penalises repeated wrong credentials. */
  readonly probesFirst?: boolean;
  /**
   * Returns the name of the credential and service behind an address: failures are shared within one, and independent
   * between them. It is short, readable and no secret: `apns production`, `fcm`, `webpush push.example.org`.
   */
  serviceOf(address: Address): string;
  /**
   * Resolves once an attempt may begin, or with none after a while. Only where addresses lead to many services has a
   * provider places of its own, so that no service takes those of another; without them, delivery bounds the attempts.
   */
  enter?(request: PlaceRequest): Promise<Place>;
  /** Makes one attempt and returns its outcome; rejects only on a bug of ours or an aborted signal. */
  send(message: Message, address: Address, signal: AbortSignal): Promise<Outcome>;
  /** Closes every connection; attempts under way end as `retry`. */
  close(): Promise<void>;
}
