import type { Target } from "#devices/device.ts";
import { isQuarantined, LANES, type LeasedJob } from "../delivery.ts";
import { HeldLease } from "./held-lease.ts";
import { PROBES_MAX, recoverAtStart } from "./start-up-recovery.ts";
import { LEASE_MS } from "../lease.ts";
import type { ClockRollback } from "../clock-rollback.ts";
import type { WorkerDeps } from "../deps.ts";
import { runJob, type JobInput } from "./deliver.ts";
import { Runs, SLOW_AFTER_MS, type Kind } from "./runs.ts";
import { Watch } from "../result/watch.ts";

/** Claimed jobs under way at once; more stay in the database. */
const CLAIMED_MAX = 64;
/** Born-leased jobs under way at once; beyond it, accepted work is left in the database. */
const LEASED_MAX = 1_000;
/** Quarantined jobs under way at once; most of them wait for the one step that is. */
const QUARANTINED_MAX = 1_000;
/**
 * Quarantined jobs beyond that are due again after this. So are all of them in a process that started less long ago: one that
 * dies of something else soon after each start must not suspect the attempt that it had just begun.
 */
const QUARANTINE_AGAIN_MS = 3_000;
/** A job that has expired only by a doubted clock is due again after this. */
const DOUBT_AGAIN_MS = 60_000;
/** Interval of the poll: a clock rollback is noticed this soon. */
const SLEEP_MAX_MS = 30_000;
/** Delay of the next claim after the database failed. */
const AGAIN_MS = 1_000;
/** A stopping process lets its attempts finish for this long. */
const STOP_GRACE_MS = 10_000;

/** Runs the jobs that this process holds leases for, and claims due ones. Sleeps when nothing is owed. */
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
  #startedAt = Number.NEGATIVE_INFINITY;

  /** `clock` is the one whose `now` is that of `deps`. */
  constructor(deps: WorkerDeps, clock: ClockRollback) {
    this.#deps = deps;
    this.#clock = clock;
    this.#runs = new Runs(deps);
  }

  /** Takes over what an earlier process left behind, and begins to take due work. */
  async start(): Promise<void> {
    this.#startedAt = this.#deps.elapsed();
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

  /** True once `stop` was called: no run may begin any more. */
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

  /** Claims due jobs at `at`, in milliseconds since the epoch. */
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

  /** Polls for jobs that other nodes left due: their messages may be lost. */
  async look(): Promise<void> {
    if (this.#isStopping || !this.#sends) return;
    if (this.#clock.isNoticed()) return this.takeDue();
    const at = await this.#deps.store.nextDueAt();
    if (at !== null) this.wakeAt(at);
  }

  /** Makes the jobs of dead nodes due. */
  async reclaim(nodeIds: readonly string[]): Promise<void> {
    const { store, peers, now, log } = this.#deps;
    const jobs = await store.reclaim(nodeIds);
    // A dead node may have been about to release waiting jobs.
    if (this.#sends) await recoverAtStart(this.#deps);
    if (jobs === 0) return;
    log.info({ jobs, nodes: nodeIds }, "work of dead nodes is due again");
    peers?.publishDue();
    this.wakeAt(now());
  }

  /** Renews all leases: other nodes may have taken them meanwhile. */
  async renewAll(): Promise<void> {
    await this.#runs.renew();
  }

  /** Claims due jobs as far as there is room, and sleeps until more are due. */
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
    this.#deps.quarantine.close();
    const grace = setTimeout(() => this.#runs.loseAll(), graceMs);
    await this.#runs.idle();
    clearTimeout(grace);
    await this.#deps.counters.stop();
  }

  /** Resolves when no job is under way; jobs that are not due do not count. */
  async idle(): Promise<void> {
    await this.#runs.idle();
  }

  /** A request during a round may concern jobs that the round has passed by already, and gets another round. */
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
      // A job under way here is not abandoned, however the clock was set.
      await this.#runs.renewDisplaced();
      const passAt = await this.#clock.makeDisplacedDue(this.#deps, () => this.#isStopping);
      await this.#releaseProbes();
      if (this.#runs.counts.claimed >= CLAIMED_MAX) this.#runs.setSlowAside();
      for (const lane of LANES) {
        const max = CLAIMED_MAX - this.#runs.counts.claimed;
        if (max <= 0 || this.#isStopping) break;
        const claimed = await store.claim({ lane, max, until: now() + LEASE_MS });
        const corrected = claimed.map((job) => this.#clock.correct(job));
        const jobs = await this.#leaveInDoubt(corrected);
        for (const job of jobs) {
          if (!isQuarantined(job)) this.#start(job, { targets: null, kind: "claimed" });
        }
        await this.#startQuarantined(jobs.filter(isQuarantined));
      }
      const moments = [await store.nextDueAt(), this.#deps.breakers.nextProbeAt(), passAt];
      // Without room, the next claim follows the end of a run, or runs that become slow.
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

  /** Makes a few waiting jobs due as half-open probes of held services. */
  async #releaseProbes(): Promise<void> {
    const { breakers, store } = this.#deps;
    breakers.endThrottles();
    for (const service of breakers.takeProbesDue()) {
      const count = await store.makeProbesDue(service, PROBES_MAX);
      if (count === 0) breakers.disinherit(service);
    }
  }

  /** Gives jobs back for a while that have expired only by a doubted clock, and returns the others. */
  async #leaveInDoubt(jobs: readonly LeasedJob[]): Promise<readonly LeasedJob[]> {
    const { store, now, isInDoubt } = this.#deps;
    const left = jobs.filter(({ notification }) => isInDoubt(notification));
    if (left.length === 0) return jobs;
    const leases = left.map(({ lease }) => lease);
    await store.release(leases, now() + DOUBT_AGAIN_MS);
    return jobs.filter((job) => !left.includes(job));
  }

  /** Begins quarantined jobs as far as there is room, and gives the others back, so that the claim reaches those behind them. */
  async #startQuarantined(jobs: readonly LeasedJob[]): Promise<void> {
    if (jobs.length === 0) return;
    const { store, now, elapsed, log } = this.#deps;
    const isYoung = elapsed() - this.#startedAt < QUARANTINE_AGAIN_MS;
    const room = isYoung ? 0 : Math.max(0, QUARANTINED_MAX - this.#runs.counts.quarantined);
    const begun = jobs.slice(0, room);
    for (const job of begun) this.#start(job, { targets: null, kind: "quarantined" });
    const surplus = jobs.slice(room).map(({ lease }) => lease);
    await store.release(surplus, now() + QUARANTINE_AGAIN_MS);
    const facts = { jobs: begun.length, later: surplus.length };
    log.warn(facts, "jobs that several processes died with are sent one device at a time");
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

  /** Never rejects: a job that fails here keeps its row, and is claimed again when its lease ends. */
  async #run({ job, targets, held, isTakenOver }: Omit<JobInput, "onReport">): Promise<void> {
    const { notification, lease } = job;
    const watch = this.#watches.get(notification.id);
    try {
      const onReport = watch === undefined ? () => {} : watch.note.bind(watch);
      const again = await runJob(this.#deps, { job, held, targets, isTakenOver, onReport });
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
