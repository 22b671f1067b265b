import type { RequestOrigin } from "#audit/actor.ts";
import type { Actor } from "#audit/event.ts";
import type { Device, Platform } from "#devices/device.ts";
import type { AppClient, SignedInApp } from "./app.ts";

/** A request to add a connected app to an account. */
export interface AddAppInput {
  readonly accountId: string;
  readonly client: AppClient;
  readonly name: string;
  readonly platform: Platform;
  readonly actor: Actor;
}

/** A connected app that was added. */
export interface AddedApp {
  readonly app: SignedInApp;
  readonly device: Device;
  /** An app password, or a client token for Gotify. It is never shown again. */
  readonly secret: string;
  /** The app's own topic, which has the messages of every channel: `all-` and ten letters and digits. */
  readonly topic: string;
}

/** The sign-in of connected apps. */
export interface AppSignIn {
  /** Adds a device for the app. Throws `conflict` at the limit of devices or passwords. */
  add(input: AddAppInput): Promise<AddedApp>;
  /** Returns the app of an app password, client token or app token; null for any other text. */
  find(secret: string): Promise<SignedInApp | null>;
  /** Returns the app's own topic. */
  getOwnTopic(app: SignedInApp): Promise<string>;
  /** Records that the app named itself one for iPhones. Idempotent. */
  recordIphone(app: SignedInApp): Promise<void>;
  /** Adds a second secret to the app, in ntfy's shape: `tk_` and 29 letters and digits. */
  addToken(app: SignedInApp, label: string, origin: RequestOrigin): Promise<string>;
  /** Ends the secret of the app, and its streams at once. Idempotent. */
  endSecret(app: SignedInApp, origin: RequestOrigin): Promise<void>;
  /** Removes the app's device, which ends its secrets and its streams. */
  remove(app: SignedInApp, origin: RequestOrigin): Promise<void>;
}
