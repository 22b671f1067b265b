import { EMPTY_CONTENT } from "@tocsin/sdk";
import type {
  AddressedMessage,
  AppConnection,
  AppStreams,
  FetchedMessages,
  FetchInput,
  OpenStream,
  PageInput,
  Since,
  Subscription,
} from "#apps/app-streams.ts";
import type { MailboxMessage, SignedInApp } from "#apps/app.ts";
import type { AddAppInput, AddedApp, AppSignIn } from "#apps/sign-in.ts";
import { AppError } from "#errors.ts";

/** The app of `MemoryApps`. */
export const APP: SignedInApp = {
  deviceId: "01900000-0000-7000-8000-0000000000ff",
  accountId: "ann",
  client: "ntfy",
  deviceName: "Pixel",
  credentialId: "password",
  isForIphone: false,
};
/** Lengths of the apps' tokens after their prefixes `C` and `tk_`. */
const GOTIFY_TOKEN_DIGITS = 43;
const NTFY_TOKEN_DIGITS = 29;

/** The password of the app. */
export const APP_PASSWORD = "abcd-efgh-jkmn-pqrs";
/** The app's own topic. */
export const OWN_TOPIC = "all-0123456789";

/** 2026-09-21T14:13:20.999Z. The milliseconds show whether a dialect rounds to seconds. */
const CREATED_AT = 1_790_000_000_999;
const DAY_MS = 86_400_000;

/** Returns a message with these fields. Its number is also that of its notification. */
export function createMailboxMessage(fields: Partial<MailboxMessage> = {}): MailboxMessage {
  const { number = 1 } = fields;
  return {
    ...EMPTY_CONTENT,
    number,
    notificationId: `01900000-0000-7000-8000-${String(number).padStart(12, "0")}`,
    title: "Backup",
    body: "42 GB",
    channel: "backups",
    createdAt: CREATED_AT,
    expiresAt: CREATED_AT + DAY_MS,
    extras: null,
    ...fields,
  };
}

/**
 * The mailbox and the sign-in of one app in memory, for tests of dialects. It ignores time, and records no proofs of
 * delivery.
 */
export class MemoryApps implements AppSignIn, AppStreams {
  /** The secrets of the app, and the ids of their credentials. */
  readonly secrets = new Map([[APP_PASSWORD, APP.credentialId]]);
  readonly messages: MailboxMessage[] = [];
  readonly connections = new Set<AppConnection>();
  /** The positions from which streams were opened, and polls were made. */
  readonly positions: Since[] = [];
  /** The numbers that connections confirmed. */
  readonly confirmed: number[] = [];
  /** The number of messages that were written without an error. */
  writtenCount = 0;
  /** The numbers of the messages that were recorded as fetched. */
  readonly fetchedNumbers: number[] = [];
  /** Called before messages are fetched. */
  beforeFetch: () => Promise<void> = async () => {};
  /** Called before a stream is opened. */
  beforeOpen: () => Promise<void> = async () => {};

  readonly find = async (secret: string): Promise<SignedInApp | null> => {
    const credentialId = this.secrets.get(secret);
    return credentialId === undefined ? null : { ...APP, credentialId };
  };

  readonly recordIphone = async (): Promise<void> => {};

  /** The names of the apps that were added. */
  readonly addedNames: string[] = [];

  readonly add = async ({ name, client, accountId }: AddAppInput): Promise<AddedApp> => {
    this.addedNames.push(name);
    const secret = `C${String(this.secrets.size).padStart(GOTIFY_TOKEN_DIGITS, "0")}`;
    this.secrets.set(secret, secret);
    const app = { ...APP, deviceName: name, client, accountId, credentialId: secret };
    return { app, device: createDevice(name), secret, topic: OWN_TOPIC };
  };

  readonly remove = async (): Promise<void> => {
    this.secrets.clear();
    for (const connection of this.connections) connection.destroy();
  };

  readonly getOwnTopic = async (): Promise<string> => OWN_TOPIC;

  readonly addToken = async (_app: SignedInApp, label: string): Promise<string> => {
    const token = `tk_${String(this.secrets.size).padStart(NTFY_TOKEN_DIGITS, "0")}`;
    this.secrets.set(token, label);
    return token;
  };

  readonly endSecret = async ({ credentialId }: SignedInApp): Promise<void> => {
    for (const [secret, id] of this.secrets) if (id === credentialId) this.secrets.delete(secret);
  };

  readonly open = async (
    _app: SignedInApp,
    connection: AppConnection,
    since: Since,
  ): Promise<OpenStream> => {
    await this.beforeOpen();
    this.positions.push(since);
    for (const message of this.messages) await this.#write(connection, message);
    this.connections.add(connection);
    return {
      confirm: (number) => this.confirmed.push(number),
      end: () => this.connections.delete(connection),
    };
  };

  readonly fetch = async (
    _app: SignedInApp,
    { subscriptions, since, matches, notificationId }: FetchInput,
  ): Promise<FetchedMessages<AddressedMessage>> => {
    await this.beforeFetch();
    this.positions.push(since);
    const messages = this.messages
      .filter(matches)
      .filter((message) => notificationId === null || message.notificationId === notificationId)
      .flatMap((message) => address(subscriptions, message) ?? []);
    return this.#toFetched(messages, ({ message }) => message);
  };

  readonly listPage = async (
    _app: SignedInApp,
    { channel, before, limit }: PageInput,
  ): Promise<FetchedMessages<MailboxMessage>> => {
    await this.beforeFetch();
    const messages = this.messages
      .filter((message) => channel === null || message.channel === channel)
      .filter(({ number }) => before === null || number < before)
      .toSorted((one, other) => other.number - one.number)
      .slice(0, limit);
    return this.#toFetched(messages, (message) => message);
  };

  readonly removeFromList: AppStreams["removeFromList"] = async (_app, { number, channel }) => {
    const kept = this.messages.filter(
      (message) =>
        (number !== null && message.number !== number) ||
        (channel !== null && message.channel !== channel),
    );
    this.messages.splice(0, this.messages.length, ...kept);
  };

  readonly listChannels = async (): Promise<readonly string[]> => [
    ...new Set(this.messages.map(({ channel }) => channel)),
  ];

  /** Writes a message to every open connection that asked for it, followed by a ping. */
  async deliver(message: MailboxMessage): Promise<void> {
    const writes = Array.from(this.connections, (connection) => this.#write(connection, message));
    await Promise.all(writes);
  }

  #toFetched<Message>(
    messages: readonly Message[],
    getMessage: (message: Message) => MailboxMessage,
  ): FetchedMessages<Message> {
    const numbers = messages.map((message) => getMessage(message).number);
    return { messages, recordFetched: async () => void this.fetchedNumbers.push(...numbers) };
  }

  async #write(connection: AppConnection, message: MailboxMessage): Promise<void> {
    const addressed = address(connection.subscriptions, message);
    if (addressed === null || !connection.matches(message)) return;
    const written = connection.write(addressed);
    connection.ping?.(message.number);
    await written;
    this.writtenCount += 1;
  }
}

function createDevice(name: string): AddedApp["device"] {
  return { id: APP.deviceId, name } as AddedApp["device"]; // The dialects read nothing else.
}

/** Returns the error of an account with too many streams. */
export function createTooManyStreamsError(): AppError {
  return new AppError("rate_limited", "Too many streams.", { retryAfterMs: 60_000 });
}

function address(
  subscriptions: readonly Subscription[],
  message: MailboxMessage,
): AddressedMessage | null {
  const subscription =
    subscriptions.find(({ channel }) => channel === message.channel) ??
    subscriptions.find(({ channel }) => channel === null);
  return subscription === undefined ? null : { topic: subscription.topic, message };
}
