import type { NotificationContent } from "@tocsin/sdk";

/** A notification as it is sent to devices. Its body is plain text, even if the feed renders Markdown. */
export interface Message extends NotificationContent {
  /**
   * The notification's id. Unless `interaction` names an incident or a prompt, it is also the collapse id, tag or topic
   * on the device, so that a repeated send replaces the first.
   */
  readonly notificationId: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** Milliseconds since the epoch. Each attempt passes the remaining time to the push service. */
  readonly expiresAt: number;
  /** Set for bulk: resolves when the message may be sent. All other messages in a queue are sent before it. */
  readonly waitForPacer?: () => Promise<void>;
  /** Null for a plain message, which asks for no action. */
  readonly interaction: MessageInteraction | null;
}

/** The incident or the prompt of a message, and the ways to act on it. */
export interface MessageInteraction {
  readonly incidentId: string | null;
  readonly promptId: string | null;
  /** The reason for the message, such as `ring`. The app receives it unchanged. */
  readonly cause: string;
  /** The buttons, in their order. */
  readonly actions: readonly (readonly [id: string, label: string])[];
  /** Whether the reader may answer with a text. */
  readonly allowsText: boolean;
  /**
   * `usual` alerts as the priority says. `again` sounds even if the message replaces an earlier one, and `once` only if
   * it replaces none. `quiet` never sounds, and does not stay on the screen.
   */
  readonly alert: "usual" | "again" | "once" | "quiet";
}

/** A browser's push subscription (W3C Push API). Its keys are base64url without padding. */
export interface WebPushAddress {
  readonly provider: "webpush";
  readonly endpoint: string;
  readonly keys: { readonly p256dh: string; readonly auth: string };
}

/** An Apple device token: lower-case hexadecimal, without a fixed length. */
export interface ApnsAddress {
  readonly provider: "apns";
  readonly token: string;
  readonly environment: "production" | "sandbox";
  /**
   * True once Apple accepted a message for the token in this environment. Until then, the app may have named the wrong
   * environment.
   */
  readonly isConfirmed?: boolean;
}

/** A Firebase registration token or Firebase installation id. */
export interface FcmAddress {
  readonly provider: "fcm";
  readonly kind: "token" | "fid";
  readonly token: string;
}

/** A connected app, which fetches its messages over a connection that it opens. */
export interface StreamAddress {
  readonly provider: "stream";
  readonly client: "ntfy" | "gotify" | "other";
  readonly deviceId: string;
}

/** The push target of a device. */
export type Address = WebPushAddress | ApnsAddress | FcmAddress | StreamAddress;

/** The name of a provider. */
export type ProviderName = Address["provider"];

/** The name of a provider that sends to push services. */
export type PushProviderName = Exclude<ProviderName, "stream">;

/**
 * The reason for an outcome: a stable code for programs, and a short detail for people. The detail may contain a host
 * name, but never a token, an endpoint or text of the push service.
 */
export interface Reason {
  readonly code: ReasonCode;
  readonly detail: string | null;
}

/** The stable code of a reason. */
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
  | "device_gone"
  | "app_not_connected"
  | "not_subscribed";

/** The result of one attempt. */
export type Outcome =
  | {
      readonly kind: "accepted";
      readonly receipt: string | null;
      /** Replaces the stored address, if the response revealed more about it. */
      readonly updatedAddress?: Address;
    }
  /** The address is no longer valid, unless it was registered after `goneAt` (milliseconds since the epoch). */
  | { readonly kind: "gone"; readonly goneAt: number; readonly reason: Reason }
  /**
   * The provider keeps the message for the device. The delivery makes no further attempt: it waits until the device
   * fetches the message, or the notification expires.
   */
  | { readonly kind: "kept"; readonly reason: Reason }
  /** The device does not want this message. */
  | { readonly kind: "skipped"; readonly reason: Reason }
  /** This message can never reach this address, although the address may be valid. */
  | { readonly kind: "rejected"; readonly reason: Reason }
  /** `afterMs` is the shortest wait that the push service asked for; `isCounted` is false if no request was sent. */
  | {
      readonly kind: "retry";
      readonly reason: Reason;
      readonly afterMs: number | null;
      readonly isCounted: boolean;
      /** True if the wait applies to every device with the same credential, not only to this one. */
      readonly affectsAllDevices?: boolean;
      /**
       * True if the outcome says nothing about the service's health, for example because this server lacked capacity or
       * time to send a request.
       */
      readonly isInconclusive?: boolean;
      /** True if this process or its machine lacks a resource. The operator is notified. */
      readonly isLocalFailure?: boolean;
    }
  /** Our credentials are wrong. All deliveries with the same credential are held, and no device is blamed. */
  | {
      readonly kind: "refused";
      readonly reason: Reason;
      /** True if the response may concern only this device. Then only this device is held. */
      readonly mayConcernOnlyDevice?: boolean;
    };

/** A request for the permit to start an attempt. */
export interface PermitRequest {
  readonly address: Address;
  /** The owner of the device. */
  readonly accountId: string;
  /** True for bulk: other messages go first. */
  readonly isBulk: boolean;
  readonly signal: AbortSignal;
  /** Called if the attempt must wait for a host that may never respond, so that it blocks no other attempt. */
  readonly onLongWait: () => void;
}

/** The permit to start an attempt, to be released once, or the outcome of an attempt that got none. */
export type AttemptPermit =
  | { readonly kind: "taken"; readonly release: () => void }
  | { readonly kind: "none"; readonly outcome: Outcome };

/** The proof that a device has fetched a message. */
export interface FetchedMessage {
  /** The receipt of the acceptance. */
  readonly receipt: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** A push protocol. A response of the push service is always an Outcome, never an exception. */
export interface Provider {
  readonly name: ProviderName;
  /**
   * True if the first message to a service must be sent alone, because the service penalises repeated wrong
   * credentials.
   */
  readonly shouldProbeFirst?: boolean;
  /**
   * Returns the name of the credential and service that an address uses. Failures affect every address with the same
   * name, and no other address. The name is short, readable and not secret: `apns production`, `fcm`, `webpush
   * push.example.org`.
   */
  getServiceName(address: Address): string;
  /**
   * Resolves with a permit once an attempt may start, or without one after a timeout. A provider limits attempts only
   * if its addresses lead to many services, so that no service uses up the capacity of another. Otherwise, delivery
   * limits them.
   */
  acquirePermit?(request: PermitRequest): Promise<AttemptPermit>;
  /**
   * Returns the devices, among at most 500, that have fetched the message of a notification. Only a provider that keeps
   * each message until its device fetches it has this method. Such a provider is no push service, so delivery neither
   * limits its attempts nor asks a breaker.
   */
  findFetched?(
    notificationId: string,
    deviceIds: readonly string[],
  ): Promise<ReadonlyMap<string, FetchedMessage>>;
  /**
   * Withdraws the message of a notification that a device has not fetched. Resolves with the fetch if the device was
   * first. A provider with `findFetched` has this method, too.
   */
  withdraw?(notificationId: string, deviceId: string): Promise<FetchedMessage | null>;
  /** Makes one attempt and returns its outcome. Rejects only on a bug in Tocsin or an aborted signal. */
  send(message: Message, address: Address, signal: AbortSignal): Promise<Outcome>;
  /** Closes all connections; running attempts end as `retry`. */
  close(): Promise<void>;
}
