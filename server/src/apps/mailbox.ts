import { Listeners } from "#concurrency/listeners.ts";
import type { Context } from "#context.ts";
import { GroupCommit } from "#delivery/limits/group-commit.ts";
import { recordPresence, type PresenceChange, type PresenceResult } from "./store/presence.ts";
import { putMessages, type Put, type PutResult } from "./store/put.ts";
import {
  recordProofs,
  recordProofsUpTo,
  type MessageProof,
  type ProvenMessage,
  type RecordedProofs,
  type ProvenRange,
} from "./store/proofs.ts";

/** Maximum number of items in one commit. */
const BATCH_MAX = 500;

/**
 * The mailboxes of connected apps. Puts, proofs and changes of connections share commits, because a bulk notification
 * causes thousands at once.
 */
export class Mailbox {
  readonly #context: Context;
  /** Listeners that are called with the messages for which this process recorded a proof. */
  readonly proven = new Listeners<[proven: readonly ProvenMessage[]]>();
  /** Listeners that are called after proofs made jobs due. */
  readonly jobsDue = new Listeners<[]>();
  readonly #puts: GroupCommit<Put, PutResult>;
  readonly #proofs: GroupCommit<MessageProof, null>;
  readonly #presence: GroupCommit<PresenceChange, PresenceResult>;

  constructor(context: Context) {
    this.#context = context;
    this.#puts = createGroupCommit(context, (batch) => putMessages(context, batch));
    this.#proofs = createGroupCommit(context, async (batch) => {
      this.#announce(await recordProofs(context, batch));
      return batch.map(() => null);
    });
    this.#presence = createGroupCommit(context, (batch) => recordPresence(context, batch));
  }

  /** Puts a message into the mailbox of an app, once. */
  put(message: Put): Promise<PutResult> {
    return this.#puts.submit(message);
  }

  /**
   * Records proofs, and resolves once they are durable. Each proof counts towards the size of a commit, because a
   * statement has a limit of values.
   */
  async recordProofs(proofs: readonly MessageProof[]): Promise<void> {
    await Promise.all(proofs.map(this.#proofs.submit));
  }

  /** Records that an app went on after a message. */
  async recordProofsUpTo(input: ProvenRange): Promise<void> {
    this.#announce(await recordProofsUpTo(this.#context, input));
  }

  /** Records a change of a connection. */
  recordPresence(change: PresenceChange): Promise<PresenceResult> {
    return this.#presence.submit(change);
  }

  #announce({ proven, hasDueJobs }: RecordedProofs): void {
    if (proven.length > 0) this.proven.call(proven);
    if (hasDueJobs) this.jobsDue.call();
  }
}

function createGroupCommit<Item, Result>(
  { elapsed }: Pick<Context, "elapsed">,
  commit: (batch: readonly Item[]) => Promise<readonly Result[]>,
): GroupCommit<Item, Result> {
  return new GroupCommit<Item, Result>({
    commit,
    batchMax: BATCH_MAX,
    waitMaxMs: Number.POSITIVE_INFINITY,
    elapsed,
    createTimeoutError: () => new Error("A commit of mailboxes has no time limit."),
  });
}
