import type { Target } from "#devices/device.ts";
import { deliver } from "./deliver.ts";
import { isSolo, isUntouched, LANES, type LeasedJob } from "../delivery.ts";
import { expand } from "./expand.ts";
import { HeldLease } from "./held-lease.ts";
import { PROBES_MAX, recoverAtStart } from "./start-up-recovery.ts";
import { LEASE_MS } from "../lease.ts";
import type { ClockRollback } from "../clock-rollback.ts";
import type { WorkerDeps } from "../deps.ts";
import { writeDurably } from "./settle.ts";
import { Runs, SLOW_AFTER_MS, type Kind } from "./runs.ts";
import { Watch } from "../result/watch.ts";

/** Claimed jobs under way at once; more stay in the database. */
const CLAIMED_MAX = 64;
/** Born-leased jobs under way at once; beyond it, accepted work is left in the database. */
const LEASED_MAX = 1_000;
/** Jobs under way at once whose attempts are made in another process; most of them wait in line for it. */
const SOLO_MAX = 1_000;
/** Those beyond that come again after this. */
const SOLO_AGAIN_MS = 5_000;
/** Those that are over only by a clock that is doubted come again after this. */
const DOUBT_AGAIN_MS = 60_000;
/** Interval of the poll: a clock rollback is noticed this soon. */
const SLEEP_MAX_MS = 30_000;
/** After the database failed, it is asked again this soon. */
const AGAIN_MS = 1_000;
/** A stopping process lets its attempts finish for this long. */
const STOP_GRACE_MS = 10_000;

interface RunInput {
  readonly job: LeasedJob;
  readonly targets: readonly Target[] | null;
  readonly held: HeldLease;
  /** The job was claimed: another process, or this one, accepted it and did not begin it. */
  readonly isTakenOver: boolean;
}

/** Does the work that this process holds leases for, and takes what is due. Sleeps when nothing is owed. */
export class DeliveryWorker {
  readonly #deps: WorkerDeps;
  readonly #runs: Runs;
  readonly #clock: ClockRollback;
  readonly #watches = new Map<string, Watch>();
  /** By the monotonic clock. */
  #wakesAt = Number.POSITIVE_INFINITY;
  /** The timer fires at once. */
  #isWaking = false;
  #timer: NodeJS.Timeout | null = null;
  #claiming: Promise<void> | null = null;
  #isAskedAgain = false;
  #isStopping = false;

  /** `clock` is the one whose `now` is that of `deps`. */
  constructor(deps: WorkerDeps, clock: ClockRollback) {
    this.#deps = deps;
    this.#clock = clock;
    this.#runs = new Runs(deps);
  }

  /** Takes over what an earlier process left behind, and begins to take due work. */
  async start(): Promise<void> {
    if (this.#deps.peers === null) {
      const recovered = await this.#deps.store.recover();
      if (recovered > 0) this.#deps.log.info({ jobs: recovered }, "unfinished work taken over");
    }
    if (this.#sends) await recoverAtStart(this.#deps);
    await this.takeDue();
  }

  /** False while so much is under way that new work is better left in the database. */
  get hasRoom(): boolean {
    if (!this.#sends || this.#isStopping) return false;
    if (this.#quickRuns >= LEASED_MAX) this.#runs.setSlowAside();
    return this.#quickRuns < LEASED_MAX;
  }

  get #quickRuns(): number {
    return this.#runs.counts.leased + this.#runs.counts.claimed;
  }

  /** True once `stop` was called: nothing may be begun any more. */
  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** Begins a job that was accepted under our own lease; returns what its caller may watch. */
  begin(job: LeasedJob, targets: readonly Target[] | null): Watch {
    const watch = new Watch((targets ?? []).map(({ deviceId }) => deviceId));
    this.#watches.set(job.notification.id, watch);
    this.#start(job, { targets, kind: "leased" });
    return watch;
  }

  /** Returns the watch of a notification whose first attempt is under way here. */
  watchOf(notificationId: string): Watch | null {
    return this.#watches.get(notificationId) ?? null;
  }

  /** Looks for due work at `at`, in milliseconds since the epoch. */
  wakeAt(at: number): void {
    if (this.#isStopping || !this.#sends) return;
    const { now, elapsed } = this.#deps;
    const delay = Math.min(Math.max(0, at - now()), SLEEP_MAX_MS);
    const wakesAt = elapsed() + delay;
    const isPlanned = delay === 0 ? this.#isWaking : wakesAt >= this.#wakesAt;
    if (isPlanned) return;
    this.#wakesAt = wakesAt;
    this.#isWaking = delay === 0;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#wakesAt = Number.POSITIVE_INFINITY;
      this.#isWaking = false;
      void this.takeDue();
    }, delay);
    this.#timer.unref();
  }

  /** Looks when others may have left something due: what they tell may be lost. */
  async look(): Promise<void> {
    if (this.#isStopping || !this.#sends) return;
    if (this.#clock.isNoticed()) return this.takeDue();
    const at = await this.#deps.store.nextDueAt();
    if (at !== null) this.wakeAt(at);
  }

  /** Makes due what dead nodes held. */
  async reclaim(nodeIds: readonly string[]): Promise<void> {
    const { store, peers, now, log } = this.#deps;
    const jobs = await store.reclaim(nodeIds);
    // Who died may have been about to wake what waits.
    if (this.#sends) await recoverAtStart(this.#deps);
    if (jobs === 0) return;
    log.info({ jobs, nodes: nodeIds }, "work of dead nodes is due again");
    peers?.publishDue();
    this.wakeAt(now());
  }

  /** Finds out which leases are still ours: all may have been taken away meanwhile. */
  async renewAll(): Promise<void> {
    await this.#runs.renew();
  }

  /** Claims what is due, as far as there is room, and sleeps until more is. */
  async takeDue(): Promise<void> {
    if (!this.#sends) return;
    this.#isAskedAgain = this.#claiming !== null;
    this.#claiming ??= this.#claimRounds();
    await this.#claiming;
  }

  /** Stops taking work, lets attempts finish, and gives the rest back. Nothing is under way afterwards. */
  async stop(graceMs = STOP_GRACE_MS): Promise<void> {
    this.#isStopping = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#deps.recoveryScheduler.stop();
    await this.#claiming;
    await this.#deps.doubts.stop();
    this.#deps.solo.refuse();
    const grace = setTimeout(() => this.#runs.loseAll(), graceMs);
    await this.#runs.idle();
    clearTimeout(grace);
    await this.#deps.solo.close();
    await this.#deps.counters.stop();
  }

  /** Resolves when nothing is under way; what waits for its moment does not count. */
  async idle(): Promise<void> {
    await this.#runs.idle();
  }

  /** Who asks while a round runs may mean what it has passed by already, and gets another. */
  async #claimRounds(): Promise<void> {
    do {
      this.#isAskedAgain = false;
      await this.#claimAll();
    } while (this.#isAskedAgain && !this.#isStopping);
    this.#claiming = null;
  }

  async #claimAll(): Promise<void> {
    this.#wakesAt = Number.POSITIVE_INFINITY;
    const { store, peers, now, log } = this.#deps;
    if (peers !== null && !peers.mayClaim()) {
      this.wakeAt(now() + AGAIN_MS);
      return;
    }
    try {
      // What is under way here is no leftover, whatever the clock shows.
      await this.#runs.renewDisplaced();
      const passAt = await this.#clock.makeDisplacedDue(this.#deps, () => this.#isStopping);
      await this.#nudgeWaiting();
      if (this.#runs.counts.claimed >= CLAIMED_MAX) this.#runs.setSlowAside();
      for (const lane of LANES) {
        const max = CLAIMED_MAX - this.#runs.counts.claimed;
        if (max <= 0 || this.#isStopping) break;
        const claimed = await store.claim({ lane, max, until: now() + LEASE_MS });
        const corrected = claimed.map((job) => this.#clock.correct(job));
        const jobs = await this.#leaveInDoubt(corrected);
        for (const job of jobs) {
          if (!isSolo(job)) this.#start(job, { targets: null, kind: "claimed" });
        }
        await this.#startSolo(jobs.filter(isSolo));
      }
      const moments = [await store.nextDueAt(), this.#deps.breakers.nextProbeAt(), passAt];
      // With no room, the next run that ends wakes us, or those that take long make some.
      if (this.#runs.counts.claimed >= CLAIMED_MAX) {
        this.wakeAt(now() + SLOW_AFTER_MS);
        return;
      }
      for (const at of moments) if (at !== null) this.wakeAt(at);
    } catch (error) {
      log.warn({ err: error }, "due work cannot be taken yet");
      this.wakeAt(now() + AGAIN_MS);
    }
  }

  get #sends(): boolean {
    return this.#deps.peers?.sends ?? true;
  }

  /** Lets a few of those who wait for a held service ask how it does. */
  async #nudgeWaiting(): Promise<void> {
    const { breakers, store } = this.#deps;
    breakers.endPatience();
    for (const service of breakers.takeProbesDue()) {
      const count = await store.nudge(service, PROBES_MAX);
      if (count === 0) breakers.disinherit(service);
    }
  }

  /** Gives back for a while what a doubted clock alone would end, and returns the rest. */
  async #leaveInDoubt(jobs: readonly LeasedJob[]): Promise<readonly LeasedJob[]> {
    const { store, now, isInDoubt } = this.#deps;
    const left = jobs.filter(({ notification }) => isInDoubt(notification));
    if (left.length === 0) return jobs;
    const leases = left.map(({ lease }) => lease);
    await store.release(leases, now() + DOUBT_AGAIN_MS);
    return jobs.filter((job) => !left.includes(job));
  }

  /** Those that find no place are given back for a while, so that those behind them are found. */
  async #startSolo(jobs: readonly LeasedJob[]): Promise<void> {
    if (jobs.length === 0) return;
    const { store, now, log } = this.#deps;
    const free = Math.max(0, SOLO_MAX - this.#runs.counts.solo);
    const begun = jobs.slice(0, free);
    for (const job of begun) this.#start(job, { targets: null, kind: "solo" });
    const surplus = jobs.slice(free).map(({ lease }) => lease);
    await store.release(surplus, now() + SOLO_AGAIN_MS);
    const facts = { jobs: begun.length, later: surplus.length };
    log.warn(facts, "jobs that several processes died with are sent from a process of their own");
  }

  #start(
    job: LeasedJob,
    { targets, kind }: { targets: readonly Target[] | null; kind: Kind },
  ): void {
    const held = new HeldLease(job.lease, this.#deps);
    this.#runs.begin({ held, kind }, async () => {
      await this.#run({ job, targets, held, isTakenOver: kind !== "leased" });
      this.#end(job, held);
    });
  }

  /** Never rejects: a job that fails here keeps its row, and is taken again when its lease ends. */
  async #run({ job, targets, held, isTakenOver }: RunInput): Promise<void> {
    const { notification, lease } = job;
    const watch = this.#watches.get(notification.id);
    try {
      if (isTakenOver && isUntouched(job)) {
        await writeDurably(this.#deps, () => this.#deps.fileLate(job), held.signal);
      }
      if (job.work.kind === "expand") {
        await expand(this.#deps, { job, held });
        this.wakeAt(this.#deps.now());
        return;
      }
      const onReport = watch === undefined ? () => {} : watch.note.bind(watch);
      const again = await deliver(this.#deps, { job, held, targets, onReport });
      if (again !== null) this.wakeAt(again);
    } catch (error) {
      const facts = { err: error, jobId: lease.jobId, notificationId: notification.id };
      this.#deps.log.error(facts, "job failed; it is taken again when its lease ends");
      this.wakeAt(held.lease.until);
    }
  }

  #end({ notification }: LeasedJob, held: HeldLease): void {
    const wasFull = this.#runs.counts.claimed >= CLAIMED_MAX;
    this.#runs.end(held);
    this.#watches.get(notification.id)?.end();
    this.#watches.delete(notification.id);
    if (wasFull) this.wakeAt(this.#deps.now());
  }
}
