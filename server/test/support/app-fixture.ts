import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { OPERATOR } from "#audit/event.ts";
import type { AppClient, MailboxMessage, Proof, SignedInApp } from "#apps/app.ts";
import type {
  AddressedMessage,
  AppConnection,
  FetchInput,
  PageInput,
  Since,
  Subscription,
} from "#apps/app-streams.ts";
import { createApps } from "#apps/apps.ts";
import { createAppSignIn } from "#apps/create-sign-in.ts";
import type { AppNodes } from "#apps/node-messages.ts";
import type { Schedule } from "#apps/schedule.ts";
import type { Waker } from "#apps/waker.ts";
import type { NewNotification } from "#delivery/delivery.ts";
import { createRoomContext, insertAccount, type RoomContext } from "./context.ts";
import { eventually } from "./eventually.ts";
import { createNotification, insertNotifications } from "./notifications.ts";

/** A subscription to every channel. */
export const EVERYTHING: readonly Subscription[] = [{ topic: "all-x", channel: null }];

/** The origin of a request of an app. */
export const APP_ORIGIN = {
  ip: "203.0.113.7",
  headers: {
    "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
  },
};

/** Timers that only the test runs. */
export class TestTimers {
  #timers: { readonly at: number; readonly run: () => void }[] = [];
  readonly #context: RoomContext;

  constructor(context: RoomContext) {
    this.#context = context;
  }

  readonly schedule: Schedule = (ms, run) => {
    const timer = { at: this.#context.elapsed() + ms, run };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  };

  get count(): number {
    return this.#timers.length;
  }

  /** Advances the clocks, and runs the timers that are then due. */
  advance(ms: number): void {
    this.#context.clock.advance(ms);
    const due = this.#timers.filter(({ at }) => at <= this.#context.elapsed());
    this.#timers = this.#timers.filter((timer) => !due.includes(timer));
    for (const { run } of due) run();
  }
}

/** The connection of a simulated app, which records the messages, pings and removals that it receives. */
export class TestConnection implements AppConnection {
  readonly transport;
  readonly subscriptions;
  readonly received: AddressedMessage[] = [];
  readonly pings: number[] = [];
  readonly cleared: Pick<MailboxMessage, "notificationId" | "extras">[] = [];
  readonly ping;
  isDestroyed = false;
  /** If true, writes are rejected. */
  isClosed = false;
  onPing: (number: number) => void = () => {};

  constructor({
    subscriptions = EVERYTHING,
    transport = "websocket",
  }: Partial<Pick<AppConnection, "subscriptions" | "transport">> = {}) {
    this.subscriptions = subscriptions;
    this.transport = transport;
    this.ping =
      transport === "websocket"
        ? (number: number) => {
            this.pings.push(number);
            this.onPing(number);
          }
        : null;
  }

  readonly matches = (_message: MailboxMessage): boolean => true;

  readonly write = async (message: AddressedMessage): Promise<void> => {
    if (this.isClosed) throw new Error("The connection is closed.");
    this.received.push(message);
  };

  readonly clear: AppConnection["clear"] = ({ notificationId, extras }) => {
    this.cleared.push({ notificationId, extras });
  };

  readonly destroy = (): void => {
    this.isDestroyed = true;
  };

  /** The mailbox numbers of the received messages. */
  get numbers(): readonly number[] {
    return this.received.map(({ message }) => message.number);
  }

  /** Resolves once the connection has received this number of messages. Fails if there are more. */
  async receives(count: number): Promise<void> {
    await eventually(
      async () => this.received.length,
      (length) => length >= count,
    );
    assert.equal(this.received.length, count);
  }
}

/** Nodes that publish to each other directly. */
export class TestNodes {
  readonly #handlers: {
    readonly id: string;
    readonly topic: string;
    readonly handle: (body: unknown) => void;
  }[] = [];
  /** False if all messages are lost. */
  isConnected = true;

  createNode(id: string): AppNodes {
    return {
      id,
      publish: (topic, body) => {
        if (!this.isConnected) return;
        const text = JSON.stringify(body);
        for (const handler of this.#handlers)
          if (handler.id !== id && handler.topic === topic) handler.handle(JSON.parse(text));
      },
      on: (topic, handle) => {
        this.#handlers.push({ id, topic, handle });
      },
    };
  }
}

/** Returns the room of connected apps on a test database, with an account and functions for its apps. */
export async function createAppFixture(
  t: TestContext,
  options: {
    readonly context?: RoomContext;
    readonly node?: AppNodes;
    readonly wake?: Waker;
  } = {},
) {
  const context = options.context ?? (await createRoomContext(t));
  const timers = new TestTimers(context);
  const proven: Proof[] = [];
  const removed: string[] = [];
  const apps = createApps({
    context,
    nodes: options.node ?? new TestNodes().createNode("node-1"),
    schedule: timers.schedule,
    wake: options.wake ?? null,
    onRemovedFromList: (_accountId, ids) => removed.push(...ids),
    onPresenceChanged() {},
    onProven: (how, count) => {
      for (let index = 0; index < count; index += 1) proven.push(how);
    },
  });
  const signIn = createAppSignIn({
    context,
    notices: null,
    onDeviceChanged: ({ deviceId }) => apps.reviewDevice(deviceId),
    endStreamsOfSecret: (id) => apps.endStreamsOfSecret(id),
  });
  t.after(() => apps.hub.close());
  return { context, timers, apps, signIn, proven, removed };
}

/** The room of connected apps under test. */
export type AppFixture = Awaited<ReturnType<typeof createAppFixture>>;

/** Adds an app to a new account, or to the given one. */
export async function addApp(
  { context, signIn }: AppFixture,
  { client = "ntfy", accountId }: { client?: AppClient; accountId?: string } = {},
): Promise<SignedInApp> {
  const owner =
    accountId ?? (await insertAccount(context, { email: `${context.newId()}@example.org` }));
  const input = { accountId: owner, client, name: "Pixel", platform: "android" } as const;
  return (await signIn.add({ ...input, actor: OPERATOR })).app;
}

/** Stores a notification to the account of an app. */
export async function storeNotification(
  { context }: AppFixture,
  { accountId }: SignedInApp,
  overrides: Partial<NewNotification> = {},
): Promise<NewNotification> {
  const notification = createNotification(context, accountId, overrides);
  await insertNotifications(context, [notification]);
  return notification;
}

/** Sends a notification to an app by the provider, and returns the outcome. */
export function sendTo({ apps }: AppFixture, app: SignedInApp, notification: NewNotification) {
  const { id: notificationId, interaction: _interaction, ...content } = notification;
  const message = { ...content, notificationId, interaction: null };
  const address = { provider: "stream", client: app.client, deviceId: app.deviceId } as const;
  return apps.provider.send(message, address, new AbortController().signal);
}

/** Opens a stream whose app answers every ping, unless `answers` is false. */
export async function openStream(
  { apps }: AppFixture,
  app: SignedInApp,
  {
    since = { kind: "owed" },
    answers = true,
    ...options
  }: { since?: Since; answers?: boolean } & ConstructorParameters<typeof TestConnection>[0] = {},
) {
  const connection = new TestConnection(options);
  const stream = await apps.streams.open(app, connection, since);
  if (answers) connection.onPing = (number) => stream.confirm(number);
  return { connection, stream };
}

/** Polls for messages, and records them as fetched, as after a complete response. */
export async function fetchMessages(
  { apps }: AppFixture,
  app: SignedInApp,
  input: FetchInput,
): Promise<readonly AddressedMessage[]> {
  const { messages, recordFetched } = await apps.streams.fetch(app, input);
  await recordFetched();
  return messages;
}

/** Reads a page of an app's list, and records its messages as fetched, as after a complete response. */
export async function fetchPage(
  { apps }: AppFixture,
  app: SignedInApp,
  page: PageInput,
): Promise<readonly MailboxMessage[]> {
  const { messages, recordFetched } = await apps.streams.listPage(app, page);
  await recordFetched();
  return messages;
}

/** Returns the mailbox of an app: each number with its proof. */
export async function readMailbox({ context }: AppFixture, { deviceId }: SignedInApp) {
  const rows = await context.database.db
    .selectFrom("mailbox")
    .select(["number", "how"])
    .where("device_id", "=", deviceId)
    .orderBy("number")
    .execute();
  return rows.map(({ number, how }) => [number, how] as const);
}

/** Puts messages into the mailbox of an app that is not connected. Returns their ids. */
export async function putMessages(
  fixture: AppFixture,
  app: SignedInApp,
  channels: readonly string[],
) {
  const ids: string[] = [];
  for (const channel of channels) {
    const notification = await storeNotification(fixture, app, { channel });
    await sendTo(fixture, app, notification);
    fixture.context.clock.advance(1_000);
    ids.push(notification.id);
  }
  return ids;
}

/** Resolves once a mailbox has these proofs. */
export async function expectProofs(
  fixture: AppFixture,
  app: SignedInApp,
  proofs: readonly (string | null)[],
): Promise<void> {
  const rows = await eventually(
    () => readMailbox(fixture, app),
    (found) => JSON.stringify(found.map(([, how]) => how)) === JSON.stringify(proofs),
  ).catch(() => readMailbox(fixture, app));
  assert.deepEqual(
    rows?.map(([, how]) => how),
    proofs,
  );
}
