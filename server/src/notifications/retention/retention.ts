import { hashTokens } from "#accounts/sessions/store/open-sessions.ts";
import { removeExpired } from "#accounts/store/accounts.ts";
import { keepAuditLog } from "#audit/keeping/keep.ts";
import type { Context } from "#context.ts";
import type { ProvenTime } from "#nodes/proven-time.ts";
import { inBatches } from "#concurrency/in-batches.ts";
import { ACTIVITY_DAYS_MAX, dayOf } from "#delivery/result/activity.ts";
import {
  makeDays,
  pruneActivity,
  pruneDays,
  pruneIdempotency,
  pruneNotifications,
} from "#delivery/store/retention.ts";
import { pruneInvitations } from "#teams/invitations/store.ts";
import { DAY_MS } from "#schema/moment.ts";
import { unfileQueries } from "../feed/store.ts";

const HOUR_MS = 60 * 60 * 1_000;
/** Idempotency keys are kept so much longer than they count: who repeats a send at their end still finds them. */
const KEY_REST_MS = 60_000;
/** So long after its end an invitation is kept: addresses of people are in them who never had an account. */
const INVITATION_REST_MS = 30 * DAY_MS;

export interface RetentionOptions {
  readonly context: Context;
  /** Ages count only by time that has certainly passed, whatever the clock shows. */
  readonly proven: Pick<ProvenTime, "now">;
  /** Returns how long notifications are kept now. */
  readonly retentionDays: () => Promise<number>;
}

/** Forgets what is older than the retention, once an hour; without old rows it writes nothing. */
export class Retention {
  readonly #options: RetentionOptions;
  #timer: NodeJS.Timeout | null = null;
  #run: Promise<void> | null = null;
  #isStopped = false;

  constructor(options: RetentionOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer = setInterval(() => this.#begin(), HOUR_MS);
    this.#timer.unref();
    this.#begin();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#timer !== null) clearInterval(this.#timer);
    await this.#run;
  }

  /** Forgets everything that is too old now. */
  async prune(): Promise<void> {
    const { retentionDays } = this.#options;
    await makeDays(this.#options.context);
    const context = this.#context;
    const before = context.now() - (await retentionDays()) * DAY_MS;
    const alongside = (ids: readonly string[]) => unfileQueries(context, ids);
    const isStopped = () => this.#isStopped;
    await inBatches(isStopped, (limit) =>
      pruneNotifications(context, { before, limit, alongside }),
    );
    await pruneIdempotency(context, context.now() - DAY_MS - KEY_REST_MS);
    await pruneActivity(context, dayOf(context.now()) - ACTIVITY_DAYS_MAX);
    await removeExpired(context);
    await inBatches(isStopped, (limit) => hashTokens(context, limit));
    const invitedBefore = context.now() - INVITATION_REST_MS;
    await inBatches(isStopped, (limit) =>
      pruneInvitations(context, { before: invitedBefore, limit }),
    );
    await pruneDays(context, before);
  }

  get #context(): Context {
    const { context, proven } = this.#options;
    return { ...context, now: proven.now };
  }

  #begin(): void {
    const { context } = this.#options;
    this.#run ??= this.prune()
      .catch((error: unknown) => {
        context.log.warn({ err: error }, "old notifications are forgotten later");
      })
      .then(() => keepAuditLog(this.#context, () => this.#isStopped))
      .catch((error: unknown) => {
        context.log.warn({ err: error }, "the audit log is sealed and shortened later");
      })
      .finally(() => {
        this.#run = null;
      });
  }
}
