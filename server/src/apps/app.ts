import type { NotificationContent } from "@tocsin/sdk";

/** The program of a connected app. */
export type AppClient = "ntfy" | "gotify" | "other";

/** The app that a request's credential belongs to, and its owner. */
export interface SignedInApp {
  readonly deviceId: string;
  readonly accountId: string;
  readonly client: AppClient;
  /** The name that the owner sees for the device. */
  readonly deviceName: string;
  /** Identifies the password or token of the request, for its end. Not secret. */
  readonly credentialId: string;
}

/**
 * The proof that an app has a message. `answered`: it answered a ping that followed the message. `written`: the connection took
 * the bytes, which proves the least. `fetched`: the message was in the response to a request. `resumed`: it connected again and
 * named this message or a later one.
 */
export type Proof = "answered" | "written" | "fetched" | "resumed";

/** A message in the mailbox of an app. Times are in milliseconds since the epoch. */
export interface MailboxMessage extends NotificationContent {
  /** Counts from 1 for each app, in the order of the messages. */
  readonly number: number;
  readonly notificationId: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** JSON of the parts that only apps of other services can show, as stored; null if there is none. */
  readonly extras: string | null;
}
