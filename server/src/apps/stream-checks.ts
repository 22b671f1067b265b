import type { Context } from "#context.ts";
import type { AppHub } from "./hub.ts";
import type { Schedule } from "./schedule.ts";
import { findValidSecrets } from "./store/apps.ts";
import { listRecentlyPut } from "./store/presence.ts";
import type { AppStream } from "./stream.ts";

/** The dependencies of the checks of open streams. */
export interface StreamChecksDeps {
  readonly context: Context;
  readonly hub: AppHub;
  readonly schedule: Schedule;
}

/** Interval at which streams send pings that are due. */
const CHECK_INTERVAL_MS = 5_000;
/** Interval at which the secrets of all streams are checked, because the message of their end may be lost. */
const SECRETS_INTERVAL_MS = 60_000;
/** Maximum number of secrets in one query. */
const SECRETS_PER_QUERY_MAX = 500;
/**
 * How far each look into the mailboxes goes back before the last one, because the commit of a message may take long.
 */
const LOOK_BACK_MS = 30_000;

/** The regular checks of the open streams: their pings, their secrets, and messages whose hints were lost. */
export class StreamChecks {
  readonly #deps: StreamChecksDeps;
  #cancel: (() => void) | null = null;
  #secretsCheckedAt: number;
  /** The time of the last look into the mailboxes, in milliseconds since the epoch. */
  #lookedAt: number;

  constructor(deps: StreamChecksDeps) {
    this.#deps = deps;
    this.#secretsCheckedAt = deps.context.elapsed();
    this.#lookedAt = deps.context.now();
  }

  start(): void {
    this.#cancel = this.#deps.schedule(CHECK_INTERVAL_MS, () => {
      this.#checkStreams();
      this.start();
    });
  }

  stop(): void {
    this.#cancel?.();
  }

  /** Destroys the matching streams whose secret is no longer valid. Never throws. */
  review(matches: (stream: AppStream) => boolean): void {
    this.#reviewNow(this.#deps.hub.listAll().filter(matches));
  }

  /** Reviews the streams of one app. Meant for every change of a device on any node. */
  reviewDevice(deviceId: string): void {
    this.#reviewNow(this.#deps.hub.listStreams(deviceId));
  }

  #reviewNow(streams: readonly AppStream[]): void {
    this.#review(streams).catch((error: unknown) => {
      this.#deps.context.log.warn({ err: error }, "the secrets of apps cannot be checked yet");
    });
  }

  /** Wakes the streams of apps that are owed recent messages: a hint of another node may be lost. */
  async checkMailboxes(): Promise<void> {
    const { context, hub } = this.#deps;
    if (hub.isEmpty) return;
    const now = context.now();
    const since = Math.min(this.#lookedAt, now) - LOOK_BACK_MS;
    for (const deviceId of await listRecentlyPut(context, since)) hub.wake(deviceId);
    this.#lookedAt = now;
  }

  #checkStreams(): void {
    const { context, hub } = this.#deps;
    for (const stream of hub.listAll()) stream.check();
    if (context.elapsed() - this.#secretsCheckedAt < SECRETS_INTERVAL_MS) return;
    this.#secretsCheckedAt = context.elapsed();
    this.review(() => true);
  }

  async #review(streams: readonly AppStream[]): Promise<void> {
    for (let start = 0; start < streams.length; start += SECRETS_PER_QUERY_MAX) {
      const batch = streams.slice(start, start + SECRETS_PER_QUERY_MAX);
      const ids = [...new Set(batch.map(({ app }) => app.credentialId))];
      const valid = await findValidSecrets(this.#deps.context, ids);
      for (const stream of batch) if (!valid.has(stream.app.credentialId)) stream.destroy();
    }
  }
}
