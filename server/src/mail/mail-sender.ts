import type { Context } from "#context.ts";
import { WakeableTask } from "#concurrency/wakeable-task.ts";
import type { Mail, MailOutcome, MailQueue, SendMail } from "./mail.ts";
import { hasRefusedMails } from "./store/refusals.ts";
import {
  claimMails,
  insertMailQuery,
  findNextMailDueAt,
  unsealContent,
  postponeMail,
  removeMail,
  shortenWaits,
  type LeasedMail,
} from "./store/outbox.ts";

/** Maximum number of mails that are sent at once. */
const BATCH_MAX = 10;
/** Longer than an attempt and the record of its outcome take. The attempts of a batch begin together. */
const LEASE_MS = 5 * 60_000;
/** The time limit of an attempt. Without it, a mail server that keeps sending a few bytes would never let it end. */
const ATTEMPT_MAX_MS = 4 * 60_000;
/** Delays between attempts; after the last attempt a mail is given up. */
const RETRY_DELAYS_MS: readonly number[] = [
  1_000,
  30_000,
  5 * 60_000,
  3_600_000,
  6 * 3_600_000,
  24 * 3_600_000,
];
/** Delay after a database error. */
const ERROR_DELAY_MS = 10_000;
/** How long a stop waits for mails in progress before it aborts them. */
const STOP_GRACE_MS = 5_000;
/** The longest sleep while a mail is queued. */
const SLEEP_MAX_MS = 30_000;
/** The longest wait of a mail for its next attempt or for the end of its lease, by the number of its attempts so far. */
const WAIT_MAX_MS_BY_ATTEMPTS = [
  0,
  ...RETRY_DELAYS_MS.map((delayMs) => Math.max(delayMs, LEASE_MS)),
  LEASE_MS,
];

/**
 * Sends queued mails between `start` and `stop`. Delivery is at least once: if the process dies after the mail server
 * accepted a mail and before the queue records this, the mail is sent again with the same Message-ID. Sets no timer
 * while the queue is empty.
 */
export class MailSender implements MailQueue {
  readonly #context: Context;
  readonly #send: SendMail;
  readonly #abort = new AbortController();
  readonly #work = new WakeableTask({
    runDueWork: () => this.#sendDue(),
    sleepMaxMs: SLEEP_MAX_MS,
  });
  #lastAcceptedAt: number | null = null;
  #lastFailure: MailFailure | null = null;

  constructor(context: Context, send: SendMail) {
    this.#context = context;
    this.#send = send;
  }

  /** Starts with the mails that were queued before. */
  start(): void {
    this.#work.start();
  }

  /** Resolves once no mail is in progress; aborts slow attempts. Unsent mails are sent after the next start. */
  async stop(): Promise<void> {
    const grace = setTimeout(() => this.#abort.abort(), STOP_GRACE_MS);
    await this.#work.stop();
    clearTimeout(grace);
  }

  /** The latest acceptance by the mail server and the latest failure since the start, in milliseconds since the epoch. */
  get latestOutcomes(): {
    readonly lastAcceptedAt: number | null;
    readonly lastFailure: MailFailure | null;
  } {
    return { lastAcceptedAt: this.#lastAcceptedAt, lastFailure: this.#lastFailure };
  }

  async enqueue(mail: Mail): Promise<void> {
    await this.#context.database.atomically([insertMailQuery(this.#context, mail)]);
    this.wake();
  }

  wake(): void {
    this.#work.wake();
  }

  /** Sends a batch of due mails. Returns the delay until the next run in milliseconds; null if nothing is queued. */
  async #sendDue(): Promise<number | null> {
    try {
      await shortenWaits(this.#context, WAIT_MAX_MS_BY_ATTEMPTS);
      const leaseEndsAt = this.#context.now() + LEASE_MS;
      const mails = await claimMails(this.#context, { max: BATCH_MAX, leaseEndsAt });
      await this.#attemptAll(mails);
      if (mails.length > 0) return 0;
      const dueAt = await findNextMailDueAt(this.#context);
      return dueAt === null ? null : Math.max(1, dueAt - this.#context.now());
    } catch (error) {
      this.#context.log.error({ err: error }, "the mail queue failed");
      return ERROR_DELAY_MS;
    }
  }

  /** Waits for every attempt, even if one failed: no attempt may outlive a stop. */
  async #attemptAll(mails: readonly LeasedMail[]): Promise<void> {
    const results = await Promise.allSettled(mails.map((mail) => this.#attempt(mail)));
    const failure = results.find((result) => result.status === "rejected");
    if (failure !== undefined) throw failure.reason;
  }

  async #attempt(mail: LeasedMail): Promise<void> {
    if (await this.#isRefused(mail)) return removeMail(this.#context, mail);
    const content = unsealContent(this.#context, mail);
    const outcome =
      content === null
        ? UNREADABLE_OUTCOME
        : await this.#send({ ...mail, ...content }, this.#createAttemptSignal());
    if (outcome.kind === "accepted") {
      this.#lastAcceptedAt = this.#context.now();
      return removeMail(this.#context, mail);
    }
    this.#lastFailure = { at: this.#context.now(), reason: outcome.reason };
    const delayMs = outcome.kind === "retry" ? RETRY_DELAYS_MS[mail.attempts - 1] : undefined;
    this.#report({ mail, outcome, delayMs });
    if (delayMs === undefined) return removeMail(this.#context, mail);
    await postponeMail(this.#context, mail, this.#context.now() + delayMs);
  }

  #createAttemptSignal(): AbortSignal {
    return AbortSignal.any([this.#abort.signal, AbortSignal.timeout(ATTEMPT_MAX_MS)]);
  }

  /** Checks refusals before each attempt, so that they apply to every inviter and to mails queued before. */
  async #isRefused({ purpose, to }: LeasedMail): Promise<boolean> {
    return purpose === "invitation" && hasRefusedMails(this.#context.database.db, to);
  }

  #report({ mail, outcome, delayMs }: UnsentMail): void {
    const { purpose, attempts } = mail;
    const fields = { purpose, attempts, reason: outcome.reason };
    if (delayMs === undefined) this.#context.log.error(fields, "gave up on a mail");
    else this.#context.log.warn({ ...fields, delayMs }, "a mail will be retried");
  }
}

/** The outcome of a mail that this server cannot open, now or later. */
const UNREADABLE_OUTCOME: Extract<MailOutcome, { kind: "refused" }> = {
  kind: "refused",
  reason: "sealed with another session secret",
};

/** A failure to send a mail: its time in milliseconds since the epoch, and its reason, as in `MailOutcome`. */
export interface MailFailure {
  readonly at: number;
  readonly reason: string;
}

interface UnsentMail {
  readonly mail: LeasedMail;
  readonly outcome: Exclude<MailOutcome, { kind: "accepted" }>;
  /** Delay until the next attempt; undefined if there is none. */
  readonly delayMs: number | undefined;
}
