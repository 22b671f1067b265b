import type { MailboxMessage, SignedInApp } from "./app.ts";

/** A topic that an app listens to. */
export interface Subscription {
  /** The name as the app wrote it. */
  readonly topic: string;
  /** The channel of that name; null for the app's own topic, which has the messages of every channel. */
  readonly channel: string | null;
}

/** The position from which an app wants messages, in addition to those that it is owed. */
export type Since =
  /** `owed` and `none` add no messages; `latest` adds the latest message of each topic. */
  | { readonly kind: "owed" | "all" | "none" | "latest" }
  /** The id of a notification, which proves the messages up to it. An unknown id stands for `all`. */
  | { readonly kind: "id"; readonly id: string }
  /** Messages of this time or later, in milliseconds since the epoch. */
  | { readonly kind: "time"; readonly at: number };

/** A message, and the topic under which the app gets it: see `selectTopic`. */
export interface AddressedMessage {
  readonly topic: string;
  readonly message: MailboxMessage;
}

/** The open connection of an app, as a dialect implements it. */
export interface AppConnection {
  readonly transport: "websocket" | "json" | "sse" | "raw";
  /** Never empty. */
  readonly subscriptions: readonly Subscription[];
  /** Returns whether the app asked for messages like this one. */
  readonly matches: (message: MailboxMessage) => boolean;
  /**
   * True if `matches` may leave messages out; a position then proves only messages that were written. Default false.
   */
  readonly isFiltered?: boolean;
  /** Writes one message. Resolves once the operating system took the bytes; rejects if the connection is closed. */
  readonly write: (message: AddressedMessage) => Promise<void>;
  /**
   * Sends a ping with this number after the messages before it; null if the transport has none. The dialect calls
   * `OpenStream.confirm` with the number of each pong (RFC 6455 section 5.5.3).
   */
  readonly ping: ((number: number) => void) | null;
  /** Tells the app that its owner has read a notification elsewhere. */
  readonly clear: (message: Pick<MailboxMessage, "notificationId" | "extras">) => void;
  /** Ends the connection without a closing handshake, so that the app notices at once and connects again. */
  readonly destroy: () => void;
}

/** A stream that was opened for a connection. */
export interface OpenStream {
  /** Records that the app has all messages of this connection up to a number. */
  readonly confirm: (number: number) => void;
  /** Ends the stream after its connection closed; safe to repeat. */
  readonly end: () => void;
}

/** A poll: a request for messages that ends after the last one. */
export interface FetchInput {
  readonly subscriptions: readonly Subscription[];
  readonly since: Since;
  readonly matches: (message: MailboxMessage) => boolean;
  /** As in `AppConnection`. */
  readonly isFiltered?: boolean;
  /** If not null, only the message of this notification. */
  readonly notificationId: string | null;
}

/** A page of an app's messages, newest first. */
export interface PageInput {
  /** The channel of the messages; null for all channels. */
  readonly channel: string | null;
  /** Only messages with a smaller number; null for the newest. */
  readonly before: number | null;
  readonly limit: number;
}

/** Messages for the response to an app. */
export interface FetchedMessages<Message> {
  readonly messages: readonly Message[];
  /**
   * Records the messages as fetched. Meant for the moment at which the response was written completely: an app whose
   * connection broke before is still owed them. Never rejects.
   */
  readonly recordFetched: () => Promise<void>;
}

/** The streams and mailboxes of connected apps. */
export interface AppStreams {
  /**
   * Opens a stream: records the proofs of `since`, writes the messages that `since` asks for and those that are owed,
   * and then each new message, all in the order of their numbers. Throws `rate_limited` if too many apps of the account
   * have streams, and `unauthenticated` if the app's secret has ended.
   */
  open(app: SignedInApp, connection: AppConnection, since: Since): Promise<OpenStream>;
  /** Returns the messages that a poll asks for, oldest first. */
  fetch(app: SignedInApp, input: FetchInput): Promise<FetchedMessages<AddressedMessage>>;
  /** Returns a page of the app's messages. */
  listPage(app: SignedInApp, input: PageInput): Promise<FetchedMessages<MailboxMessage>>;
  /**
   * Removes messages from the app's list; the feed keeps them. A null `number` removes all messages that the app was
   * given, of one channel or of all.
   */
  removeFromList(
    app: SignedInApp,
    input: { readonly number: number | null; readonly channel: string | null },
  ): Promise<void>;
  /** Returns the channels of the app's messages, each once. */
  listChannels(app: SignedInApp): Promise<readonly string[]>;
}
