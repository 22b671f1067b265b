import type { Target } from "#devices/device.ts";
import { deliver } from "./deliver.ts";
import { LANES, type LeasedJob } from "./delivery.ts";
import { expand } from "./expand.ts";
import { HeldLease } from "./held-lease.ts";
import { join, PROBES_MAX } from "./join.ts";
import { LEASE_MS, RENEW_EVERY_MS } from "./lease.ts";
import type { DeliveryParts } from "./parts.ts";
import { SetBack } from "./set-back.ts";
import { Watch } from "./watch.ts";

/** Claimed jobs under way at once; more stay in the database. */
const CLAIMED_MAX = 64;
/** Born-leased jobs under way at once; beyond it, accepted work is left in the database. */
const LEASED_MAX = 1_000;
/** The longest sleep: a clock that was set back is noticed this soon. */
const SLEEP_MAX_MS = 10 * 60_000;
/** After the database failed, it is asked again this soon. */
const AGAIN_MS = 1_000;
/** A stopping process lets its attempts finish for this long. */
const STOP_GRACE_MS = 10_000;

interface Run {
  readonly held: HeldLease;
  /** Claimed jobs have places of their own, so that a flood of new ones does not keep due ones waiting. */
  readonly isClaimed: boolean;
  readonly done: Promise<void>;
}

interface Begun {
  readonly job: LeasedJob;
  readonly targets: readonly Target[] | null;
  readonly held: HeldLease;
}

/** Does the work that this process holds leases for, and takes what is due. Sleeps when nothing is owed. */
export class DeliveryWorker {
  readonly #parts: DeliveryParts;
  readonly #runs = new Map<string, Run>();
  readonly #watches = new Map<string, Watch>();
  #wakeAt = Number.POSITIVE_INFINITY;
  /** The timer fires at once. */
  #isWaking = false;
  #timer: NodeJS.Timeout | null = null;
  #renewal: NodeJS.Timeout | null = null;
  #claiming: Promise<void> | null = null;
  #isAskedAgain = false;
  #isStopping = false;
  readonly #clock = new SetBack();

  constructor(parts: DeliveryParts) {
    this.#parts = parts;
  }

  /** Takes over what an earlier process left behind, and begins to take due work. */
  async start(): Promise<void> {
    if (this.#parts.peers === null) {
      const recovered = await this.#parts.store.recover();
      if (recovered > 0) this.#parts.log.info({ jobs: recovered }, "unfinished work taken over");
    } else if (this.#parts.peers.sends) {
      await join(this.#parts);
    }
    await this.takeDue();
  }

  /** False while so much is under way that new work is better left in the database. */
  get hasRoom(): boolean {
    return this.#sends && !this.#isStopping && this.#runs.size < LEASED_MAX;
  }

  /** True once `stop` was called: nothing may be begun any more. */
  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** Begins a job that was accepted under our own lease; returns what its caller may watch. */
  begin(job: LeasedJob, targets: readonly Target[] | null): Watch {
    const watch = new Watch((targets ?? []).map(({ deviceId }) => deviceId));
    this.#watches.set(job.notification.id, watch);
    this.#start(job, { targets, isClaimed: false });
    return watch;
  }

  /** Returns the watch of a notification whose first attempt is under way here. */
  watchOf(notificationId: string): Watch | null {
    return this.#watches.get(notificationId) ?? null;
  }

  /** Looks for due work at `at`, in milliseconds since the epoch. */
  wakeAt(at: number): void {
    if (this.#isStopping || !this.#sends) return;
    const delay = Math.min(Math.max(0, at - this.#parts.now()), SLEEP_MAX_MS);
    // A moment that has passed without the timer is that of a clock that jumped.
    const isPlanned = delay === 0 ? this.#isWaking : at >= this.#wakeAt;
    if (isPlanned) return;
    this.#wakeAt = at;
    this.#isWaking = delay === 0;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#wakeAt = Number.POSITIVE_INFINITY;
      this.#isWaking = false;
      void this.takeDue();
    }, delay);
    this.#timer.unref();
  }

  /** Looks when others may have left something due: what they tell may be lost. */
  async look(): Promise<void> {
    if (this.#isStopping || !this.#sends) return;
    if (this.#clock.isSetBackAt(this.#parts.now())) return this.takeDue();
    const at = await this.#parts.store.nextDueAt();
    if (at !== null) this.wakeAt(at);
  }

  /** Makes due what dead nodes held. */
  async reclaim(nodeIds: readonly string[]): Promise<void> {
    const { store, peers, now, log } = this.#parts;
    const jobs = await store.reclaim(nodeIds);
    if (jobs === 0) return;
    log.info({ jobs, nodes: nodeIds }, "work of dead nodes is due again");
    peers?.tellDue();
    this.wakeAt(now());
  }

  /** Finds out which leases are still ours: all may have been taken away meanwhile. */
  async renewAll(): Promise<void> {
    if (this.#runs.size > 0) await this.#renew();
  }

  /** Claims what is due, as far as there is room, and sleeps until more is. */
  async takeDue(): Promise<void> {
    if (!this.#sends) return;
    this.#isAskedAgain = this.#claiming !== null;
    this.#claiming ??= this.#claimRounds();
    await this.#claiming;
  }

  /** Takes at once what waits for a service that is back. */
  async wakeWaiting(service: string): Promise<void> {
    const { store, now, log } = this.#parts;
    try {
      const jobs = await store.wake(service);
      if (jobs > 0) this.wakeAt(now());
    } catch (error) {
      // They come by themselves, only later.
      log.warn({ err: error, service }, "what waits for a service cannot be woken yet");
    }
  }

  /** Stops taking work, lets attempts finish, and gives the rest back. Nothing is under way afterwards. */
  async stop(graceMs = STOP_GRACE_MS): Promise<void> {
    this.#isStopping = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#claiming;
    const grace = setTimeout(() => this.#loseAll(), graceMs);
    await Promise.all([...this.#runs.values()].map(({ done }) => done));
    clearTimeout(grace);
    if (this.#renewal !== null) clearInterval(this.#renewal);
  }

  /** Resolves when nothing is under way; what waits for its moment does not count. */
  async idle(): Promise<void> {
    while (this.#runs.size > 0) await Promise.all([...this.#runs.values()].map(({ done }) => done));
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
    this.#wakeAt = Number.POSITIVE_INFINITY;
    const { store, now, log } = this.#parts;
    try {
      await this.#noticeSetBack();
      await this.#nudgeWaiting();
      for (const lane of LANES) {
        const max = CLAIMED_MAX - this.#claimedCount;
        if (max <= 0 || this.#isStopping) break;
        const jobs = await store.claim({ lane, max, until: now() + LEASE_MS });
        for (const job of jobs) this.#start(job, { targets: null, isClaimed: true });
      }
      const moments = [await store.nextDueAt(), this.#parts.breakers.nextProbeAt()];
      // With no room, the next run that ends wakes us.
      if (this.#claimedCount >= CLAIMED_MAX) return;
      for (const at of moments) if (at !== null) this.wakeAt(at);
    } catch (error) {
      log.warn({ err: error }, "due work cannot be taken yet");
      this.wakeAt(now() + AGAIN_MS);
    }
  }

  get #sends(): boolean {
    return this.#parts.peers?.sends ?? true;
  }

  /** A lease that was given before the clock was set back would hold until the old time comes again. */
  async #noticeSetBack(): Promise<void> {
    const { store, now, log } = this.#parts;
    const at = now();
    if (this.#clock.isSetBackAt(at)) {
      const jobs = await store.takeBackAhead();
      log.warn({ jobs }, "the clock was set back");
    }
    this.#clock.note(at);
  }

  /** Lets a few of those who wait for a held service ask how it does. */
  async #nudgeWaiting(): Promise<void> {
    const { breakers, store } = this.#parts;
    for (const service of breakers.takeProbesDue()) await store.nudge(service, PROBES_MAX);
  }

  get #claimedCount(): number {
    return [...this.#runs.values()].filter(({ isClaimed }) => isClaimed).length;
  }

  #start(job: LeasedJob, from: { targets: readonly Target[] | null; isClaimed: boolean }): void {
    const { jobId } = job.lease;
    const held = new HeldLease(job.lease);
    // A clock that jumped ends our own lease: the run under it is fenced, and ends before the next begins.
    const before = this.#runs.get(jobId);
    before?.held.lose();
    const done = this.#runAfter(before?.done, { job, targets: from.targets, held });
    this.#runs.set(jobId, { held, done, isClaimed: from.isClaimed });
    this.#renewal ??= setInterval(() => void this.#renew(), RENEW_EVERY_MS).unref();
  }

  async #runAfter(before: Promise<void> | undefined, { job, targets, held }: Begun): Promise<void> {
    await before;
    await this.#run(job, targets, held);
    this.#end(job, held);
  }

  /** Never rejects: a job that fails here keeps its row, and is taken again when its lease ends. */
  async #run(job: LeasedJob, targets: readonly Target[] | null, held: HeldLease): Promise<void> {
    const { notification, lease } = job;
    const watch = this.#watches.get(notification.id);
    try {
      if (job.work.kind === "expand") {
        await expand(this.#parts, { job, held });
        this.wakeAt(this.#parts.now());
        return;
      }
      const onReport = watch === undefined ? () => {} : watch.note.bind(watch);
      const again = await deliver(this.#parts, { job, held, targets, onReport });
      if (again !== null) this.wakeAt(again);
    } catch (error) {
      const facts = { err: error, jobId: lease.jobId, notificationId: notification.id };
      this.#parts.log.error(facts, "job failed; it is taken again when its lease ends");
      this.wakeAt(held.lease.until);
    }
  }

  #end({ lease, notification }: LeasedJob, held: HeldLease): void {
    const wasFull = this.#claimedCount >= CLAIMED_MAX;
    if (this.#runs.get(lease.jobId)?.held === held) this.#runs.delete(lease.jobId);
    this.#watches.get(notification.id)?.end();
    this.#watches.delete(notification.id);
    if (wasFull) this.wakeAt(this.#parts.now());
    if (this.#runs.size > 0 || this.#renewal === null) return;
    clearInterval(this.#renewal);
    this.#renewal = null;
  }

  async #renew(): Promise<void> {
    const { store, now, log } = this.#parts;
    const held = [...this.#runs.values()].map((run) => run.held);
    const until = now() + LEASE_MS;
    try {
      const leases = held.map(({ lease }) => lease);
      const lost = new Set(await store.renew(leases, until));
      for (const item of held) {
        if (lost.has(item.lease.jobId)) item.lose();
        else item.prolong(until);
      }
    } catch (error) {
      // The leases end by themselves, and `mayBegin` stops before that.
      log.warn({ err: error }, "leases cannot be renewed yet");
    }
  }

  #loseAll(): void {
    for (const { held } of this.#runs.values()) held.lose();
  }
}
