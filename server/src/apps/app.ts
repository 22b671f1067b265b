import type { AppProof, NotificationContent } from "@tocsin/sdk";

/** The program of a connected app. */
export type AppClient = "ntfy" | "gotify" | "other";

/** The app that a request's credential belongs to, and its owner. */
export interface SignedInApp {
  readonly deviceId: string;
  readonly accountId: string;
  readonly client: AppClient;
  /** The name that the owner sees for the device. */
  readonly deviceName: string;
  /** True if the app has named itself one for iPhones. */
  readonly isForIphone: boolean;
  /** The id of the password or token of the request. Not secret. */
  readonly credentialId: string;
}

/** The proof that an app has a message, as the API names it. A better one replaces `written`. */
export type Proof = AppProof;

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
