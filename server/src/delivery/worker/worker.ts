import type { Target } from "#devices/device.ts";
import { isQuarantined, LANES, type LeasedJob } from "../delivery.ts";
import { HeldLease } from "./held-lease.ts";
import { PROBES_MAX, recoverAtStart } from "./start-up-recovery.ts";
import { LEASE_MS } from "../lease.ts";
import type { ClockRollback } from "../clock-rollback.ts";
import type { WorkerDeps } from "../deps.ts";
import { runJob, type JobInput } from "./run-job.ts";
import { ActiveRuns, SLOW_AFTER_MS, type RunKind } from "./runs.ts";
import { Watch } from "../result/watch.ts";

/** Maximum number of claimed jobs that run concurrently. More jobs stay in the database. */
const CLAIMED_MAX = 64;
/** Maximum number of jobs that run concurrently under the lease of their acceptance. More jobs stay in the database. */
const LEASED_MAX = 1_000;
/** Maximum number of quarantined jobs that run concurrently. Only one of them executes a step at a time. */
const QUARANTINED_MAX = 1_000;
/**
 * Delay after which surplus quarantined jobs are due again. A process runs no quarantined jobs at all until the process
 * is this old. Otherwise a process that crashes soon after each start for another reason would cast suspicion on the
 * attempt that has just begun.
 */
const QUARANTINE_DELAY_MS = 3_000;
/** Delay after which a job that has expired only by a doubted clock is due again. */
const DOUBT_DELAY_MS = 60_000;
/** Longest sleep while a job is stored, and so the longest time until a change of the clock is noticed. */
const SLEEP_MAX_MS = 30_000;
/** Delay of the next claim after the database failed. */
const RETRY_MS = 1_000;
/** Time for which a stopping process lets its attempts finish. */
const STOP_GRACE_MS = 10_000;

/** Runs the jobs that this process has leased, and claims due ones. Sleeps until the next job is due. */
export class DeliveryWorker {
  readonly #deps: WorkerDeps;
  readonly #runs: ActiveRuns;
  readonly #clock: ClockRollback;
  readonly #watches = new Map<string, Watch>();
  /** Time of the next wake-up, on the monotonic clock. */
  #wakesAt = Number.POSITIVE_INFINITY;
  /** True if the timer fires immediately. */
  #isWaking = false;
  #timer: NodeJS.Timeout | null = null;
  #claiming: Promise<void> | null = null;
  #isRepeatRequested = false;
  #isStopping = false;
  #startedAt = Number.NEGATIVE_INFINITY;

  /** `clock` is the clock behind `deps.now`. */
  constructor(deps: WorkerDeps, clock: ClockRollback) {
    this.#deps = deps;
    this.#clock = clock;
    this.#runs = new ActiveRuns(deps);
  }

  /** Begins to claim due jobs. If no process shares the queue, first takes over the jobs of an earlier process. */
  async start(): Promise<void> {
    this.#startedAt = this.#deps.elapsed();
    if (this.#deps.sharing === null) {
      const recovered = await this.#deps.store.recover();
      if (recovered > 0) this.#deps.log.info({ jobs: recovered }, "unfinished work taken over");
    }
    if (this.#shouldSend) await recoverAtStart(this.#deps);
    await this.claimDue();
  }

  /** True if an accepted job may run here immediately. Otherwise it stays in the database and is claimed later. */
  get hasCapacity(): boolean {
    if (!this.#shouldSend || this.#isStopping) return false;
    if (this.#quickRuns >= LEASED_MAX) this.#runs.markSlowRuns();
    return this.#quickRuns < LEASED_MAX;
  }

  get #quickRuns(): number {
    return this.#runs.counts.leased + this.#runs.counts.claimed;
  }

  /** True once `stop` was called. No run may begin after that. */
  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** Begins a job that was accepted under this process's own lease; returns the watch of its caller. */
  beginJob(job: LeasedJob, targets: readonly Target[] | null): Watch {
    const watch = new Watch((targets ?? []).map(({ deviceId }) => deviceId));
    this.#watches.set(job.notification.id, watch);
    this.#startRun(job, { targets, kind: "leased" });
    return watch;
  }

  /** Returns the watch of a notification whose job runs in this process. */
  findWatch(notificationId: string): Watch | null {
    return this.#watches.get(notificationId) ?? null;
  }

  /** Schedules a claim of due jobs at `at`, in milliseconds since the epoch. */
  wakeAt(at: number): void {
    if (this.#isStopping || !this.#shouldSend) return;
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
      void this.claimDue();
    }, delay);
    this.#timer.unref();
  }

  /** Polls for due jobs of other nodes, because their messages may be lost. */
  async poll(): Promise<void> {
    if (this.#isStopping || !this.#shouldSend) return;
    if (this.#clock.hasUnhandledRollback()) return this.claimDue();
    const at = await this.#deps.store.findNextDueAt();
    if (at !== null) this.wakeAt(at);
  }

  /** Makes the jobs of dead nodes due. */
  async reclaim(nodeIds: readonly string[]): Promise<void> {
    const { store, sharing, now, log } = this.#deps;
    const jobs = await store.reclaim(nodeIds);
    // The dead node may have been about to release waiting jobs.
    if (this.#shouldSend) await recoverAtStart(this.#deps);
    if (jobs === 0) return;
    log.info({ jobs, nodes: nodeIds }, "work of dead nodes is due again");
    sharing?.publishJobsDue();
    this.wakeAt(now());
  }

  /** Renews all leases, and notices leases that other nodes have taken over. */
  async renewLeases(): Promise<void> {
    await this.#runs.renew();
  }

  /** Claims due jobs up to the limit, and sleeps until more are due. */
  async claimDue(): Promise<void> {
    if (!this.#shouldSend) return;
    this.#isRepeatRequested = this.#claiming !== null;
    this.#claiming ??= this.#claimRounds();
    await this.#claiming;
  }

  /** Stops claiming jobs, lets attempts finish and releases the rest. No job runs afterwards. */
  async stop(graceMs = STOP_GRACE_MS): Promise<void> {
    this.#isStopping = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#deps.recoveryScheduler.stop();
    await this.#claiming;
    await this.#deps.doubtResolver.stop();
    this.#deps.quarantine.close();
    const grace = setTimeout(() => this.#runs.loseAllLeases(), graceMs);
    await this.#runs.waitUntilIdle();
    clearTimeout(grace);
    await this.#deps.counters.stop();
  }

  /** Resolves when no job runs. Jobs that are not due do not count. */
  async waitUntilIdle(): Promise<void> {
    await this.#runs.waitUntilIdle();
  }

  /**
   * Repeats the round if `claimDue` was called during the round, which may already have passed by the due jobs.
   */
  async #claimRounds(): Promise<void> {
    do {
      this.#isRepeatRequested = false;
      await this.#claimAll();
    } while (this.#isRepeatRequested && !this.#isStopping);
    this.#claiming = null;
  }

  async #claimAll(): Promise<void> {
    this.#wakesAt = Number.POSITIVE_INFINITY;
    const { store, sharing, now, log } = this.#deps;
    if (sharing !== null && !sharing.mayClaim()) {
      this.wakeAt(now() + RETRY_MS);
      return;
    }
    try {
      // A running job of this process must not look abandoned after a change of the clock.
      await this.#runs.renewDisplaced();
      const passAt = await this.#clock.makeDisplacedJobsDue(this.#deps, () => this.#isStopping);
      await this.#releaseProbes();
      if (this.#runs.counts.claimed >= CLAIMED_MAX) this.#runs.markSlowRuns();
      for (const lane of LANES) {
        const max = CLAIMED_MAX - this.#runs.counts.claimed;
        if (max <= 0 || this.#isStopping) break;
        const claimed = await store.claim({ lane, max, until: now() + LEASE_MS });
        const corrected = claimed.map((job) => this.#clock.correctJob(job));
        const jobs = await this.#releaseDoubted(corrected);
        for (const job of jobs) {
          if (!isQuarantined(job)) this.#startRun(job, { targets: null, kind: "claimed" });
        }
        await this.#startQuarantined(jobs.filter(isQuarantined));
      }
      const times = [await store.findNextDueAt(), this.#deps.breakers.getNextProbeAt(), passAt];
      // Without room, the next claim follows the end of a run, or a run that has become slow.
      if (this.#runs.counts.claimed >= CLAIMED_MAX) {
        this.wakeAt(now() + SLOW_AFTER_MS);
        return;
      }
      for (const at of times) if (at !== null) this.wakeAt(at);
    } catch (error) {
      log.warn({ err: error }, "due jobs cannot be claimed yet");
      this.wakeAt(now() + RETRY_MS);
    }
  }

  get #shouldSend(): boolean {
    return this.#deps.sharing?.shouldSend ?? true;
  }

  /** Makes a few waiting jobs due as half-open probes of held services. */
  async #releaseProbes(): Promise<void> {
    const { breakers, store } = this.#deps;
    breakers.endThrottles();
    for (const service of breakers.takeServicesToProbe()) {
      const count = await store.makeProbesDue(service, PROBES_MAX);
      if (count === 0) breakers.forgetInherited(service);
    }
  }

  /** Releases, for a while, jobs that have expired only by a doubted clock, and returns the other jobs. */
  async #releaseDoubted(jobs: readonly LeasedJob[]): Promise<readonly LeasedJob[]> {
    const { store, now, isExpiryInDoubt } = this.#deps;
    const doubted = jobs.filter(({ notification }) => isExpiryInDoubt(notification));
    if (doubted.length === 0) return jobs;
    const leases = doubted.map(({ lease }) => lease);
    await store.releaseLeases(leases, now() + DOUBT_DELAY_MS);
    return jobs.filter((job) => !doubted.includes(job));
  }

  /**
   * Begins quarantined jobs up to the limit and releases the others, so that claims reach later jobs. A job that was at
   * work when the last process died comes last: otherwise unrelated kills soon after the start would hit that job
   * twice.
   */
  async #startQuarantined(jobs: readonly LeasedJob[]): Promise<void> {
    if (jobs.length === 0) return;
    const { store, now, elapsed, log } = this.#deps;
    const isYoung = elapsed() - this.#startedAt < QUARANTINE_DELAY_MS;
    const free = isYoung ? 0 : Math.max(0, QUARANTINED_MAX - this.#runs.counts.quarantined);
    const ordered = jobs.toSorted(
      (a, b) => Number(a.suspect !== null) - Number(b.suspect !== null),
    );
    const started = ordered.slice(0, free);
    for (const job of started) this.#startRun(job, { targets: null, kind: "quarantined" });
    const surplus = ordered.slice(free).map(({ lease }) => lease);
    await store.releaseLeases(surplus, now() + QUARANTINE_DELAY_MS);
    const facts = { jobs: started.length, later: surplus.length };
    log.warn(facts, "jobs during which several processes died are sent one device at a time");
  }

  #startRun(
    job: LeasedJob,
    { targets, kind }: { targets: readonly Target[] | null; kind: RunKind },
  ): void {
    const heldLease = new HeldLease(job.lease, this.#deps);
    this.#runs.begin({ heldLease, kind }, async () => {
      await this.#run({ job, targets, heldLease, isClaimed: kind !== "leased" });
      this.#endRun(job, heldLease);
    });
  }

  /** Never rejects. A job that fails here keeps its row and is claimed again when its lease ends. */
  async #run({ job, targets, heldLease, isClaimed }: Omit<JobInput, "onReport">): Promise<void> {
    const { notification, lease } = job;
    const watch = this.#watches.get(notification.id);
    try {
      const onReport = watch === undefined ? () => {} : watch.addReport.bind(watch);
      const dueAt = await runJob(this.#deps, {
        job,
        heldLease,
        targets,
        isClaimed,
        onReport,
      });
      if (dueAt !== null) this.wakeAt(dueAt);
    } catch (error) {
      const facts = { err: error, jobId: lease.jobId, notificationId: notification.id };
      this.#deps.log.error(facts, "job failed; it is claimed again when its lease ends");
      this.wakeAt(heldLease.lease.until);
    }
  }

  #endRun({ notification }: LeasedJob, heldLease: HeldLease): void {
    const wasFull = this.#runs.counts.claimed >= CLAIMED_MAX;
    this.#runs.end(heldLease);
    this.#watches.get(notification.id)?.end();
    this.#watches.delete(notification.id);
    if (wasFull) this.wakeAt(this.#deps.now());
  }
}
