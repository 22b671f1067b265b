import { AppError } from "#errors.ts";
import type { AppClient } from "./app.ts";
import type { AppConnection } from "./app-streams.ts";
import type { AppStream } from "./stream.ts";

/** Maximum number of streams of an app. A phone leaves dead connections behind. */
const STREAMS_PER_APP_MAX = 3;

/** A kind of streams, and their number. */
export interface StreamCount {
  readonly client: AppClient;
  readonly transport: AppConnection["transport"];
  readonly count: number;
}

/** The open streams of this process. */
export class AppHub {
  /** The streams of each app, the oldest first. */
  readonly #byDevice = new Map<string, Set<AppStream>>();
  readonly #byAccount = new Map<string, Set<AppStream>>();

  #isClosed = false;

  /** True if no app has a stream here. */
  get isEmpty(): boolean {
    return this.#byDevice.size === 0;
  }

  /**
   * Adds a stream. Destroys the oldest one of an app that has too many. Throws `unavailable` once the hub is closed.
   */
  add(stream: AppStream): void {
    if (this.#isClosed)
      throw new AppError("unavailable", "This server is stopping. Connect again.");
    const { deviceId, accountId } = stream.app;
    const streams = this.#byDevice.get(deviceId) ?? new Set();
    this.#byDevice.set(deviceId, streams.add(stream));
    const accountStreams = this.#byAccount.get(accountId) ?? new Set();
    this.#byAccount.set(accountId, accountStreams.add(stream));
    const [oldest] = streams;
    if (streams.size > STREAMS_PER_APP_MAX) oldest?.destroy();
  }

  /** Removes a stream that has ended. Returns whether it was the last one of its app. */
  remove(stream: AppStream): boolean {
    const { deviceId, accountId } = stream.app;
    const accountStreams = this.#byAccount.get(accountId);
    accountStreams?.delete(stream);
    if (accountStreams?.size === 0) this.#byAccount.delete(accountId);
    const streams = this.#byDevice.get(deviceId);
    streams?.delete(stream);
    if (streams === undefined || streams.size > 0) return false;
    return this.#byDevice.delete(deviceId);
  }

  /** Returns whether an app has a stream here. */
  has(deviceId: string): boolean {
    return this.#byDevice.has(deviceId);
  }

  /** Returns all streams. */
  listAll(): readonly AppStream[] {
    return [...this.#byDevice.values()].flatMap((streams) => [...streams]);
  }

  /** Returns the streams of an app. */
  listStreams(deviceId: string): readonly AppStream[] {
    return [...(this.#byDevice.get(deviceId) ?? [])];
  }

  /** Returns the streams of an account's apps. */
  listAccountStreams(accountId: string): readonly AppStream[] {
    return [...(this.#byAccount.get(accountId) ?? [])];
  }

  /** Destroys the streams that match. */
  destroyWhere(matches: (stream: AppStream) => boolean): void {
    for (const stream of this.listAll()) if (matches(stream)) stream.destroy();
  }

  /** Destroys all streams, and admits no others. */
  close(): void {
    this.#isClosed = true;
    this.destroyWhere(() => true);
  }

  /** Writes the new messages of an app to its streams here. */
  wake(deviceId: string): void {
    for (const stream of this.#byDevice.get(deviceId) ?? []) stream.wake();
  }

  /** Returns the channels that the streams of an app listen to; null for every channel. */
  listChannels(deviceId: string): readonly string[] | null {
    const channels = new Set<string>();
    for (const stream of this.#byDevice.get(deviceId) ?? []) {
      if (stream.channels === null) return null;
      for (const channel of stream.channels) channels.add(channel);
    }
    return [...channels];
  }

  /** Returns the number of streams of each kind that has any. */
  countStreams(): readonly StreamCount[] {
    const groups = Map.groupBy(
      this.listAll(),
      ({ app, connection }) => `${app.client} ${connection.transport}`,
    );
    return [...groups.values()].flatMap((streams) => {
      const [first] = streams;
      if (first === undefined) return [];
      const { app, connection } = first;
      return [{ client: app.client, transport: connection.transport, count: streams.length }];
    });
  }
}
