import type {
  AcceptRequest,
  AcceptResult,
  DeliveryStore,
  NextStep,
  QueueStats,
  SettleAck,
  Settlement,
  ReleaseResult,
} from "#delivery/store/delivery-store.ts";
import type { DeliveryResult, Lane, Lease, LeasedJob, StepMark, Work } from "#delivery/delivery.ts";
import { LEASE_AHEAD_MAX_MS, LEASE_MS } from "#delivery/lease.ts";

/** How long an idempotency key is remembered. */
const REMEMBERED_MS = 24 * 60 * 60 * 1_000;

interface ModelJob {
  readonly id: string;
  readonly request: AcceptRequest;
  work: Work;
  runAt: number;
  epoch: number;
  crashes: number;
  owner: string;
  waitsFor: readonly string[];
  mark: StepMark | null;
  suspect: StepMark | null;
}

/** A simple in-memory model of the queue, with which the stores must agree. */
export class DeliveryModel implements DeliveryStore {
  readonly #now: () => number;
  readonly #owner: string;
  readonly #idempotencyKeys = new Map<string, { hash: string; id: string; at: number }>();
  readonly jobs: ModelJob[] = [];
  readonly results = new Map<string, DeliveryResult[]>();
  /** Device counts of expanded notifications. */
  readonly #deviceCounts = new Map<string, number>();
  readonly #settledIds = new Set<string>();
  #lastId = 0;

  constructor(now: () => number, owner: string) {
    this.#now = now;
    this.#owner = owner;
  }

  async accept(batch: readonly AcceptRequest[]): Promise<readonly AcceptResult[]> {
    return batch.map((request) => this.#accept(request));
  }

  async claim(input: { lane: Lane; max: number; until: number }): Promise<readonly LeasedJob[]> {
    const dueJobs = this.jobs
      .filter(({ request, runAt }) => request.lane === input.lane && runAt <= this.#now())
      .toSorted((one, other) => one.runAt - other.runAt || (one.id < other.id ? -1 : 1))
      .slice(0, input.max);
    return dueJobs.map((job) => {
      job.crashes += job.owner === "" ? 0 : 1;
      if (job.owner !== "" && job.owner !== this.#owner) job.suspect = job.mark ?? job.suspect;
      job.mark = null;
      job.epoch += 1;
      job.owner = this.#owner;
      job.runAt = input.until;
      return this.#toLeasedJob(job);
    });
  }

  async renew(leases: readonly Lease[], until: number): Promise<readonly string[]> {
    return leases.flatMap((lease) => {
      const job = this.#findLeased(lease);
      if (job === undefined || job.owner === "") return [lease.jobId];
      job.runAt = until;
      return [];
    });
  }

  async settle(batch: readonly Settlement[]): Promise<readonly SettleAck[]> {
    return batch.map((settlement) => {
      const job = this.#findLeased(settlement.lease);
      if (job === undefined) return "fenced";
      const earlierResults = this.results.get(settlement.notificationId) ?? [];
      if (!this.#settledIds.has(settlement.id)) {
        this.results.set(settlement.notificationId, [...earlierResults, ...settlement.results]);
      }
      this.#settledIds.add(settlement.id);
      this.#applyStep(job, settlement.next);
      return "ok";
    });
  }

  async releaseLeases(leases: readonly Lease[], at: number): Promise<void> {
    for (const lease of leases) {
      const job = this.#findLeased(lease);
      if (job !== undefined) Object.assign(job, { runAt: at, owner: "" });
    }
  }

  async releaseWaiting({ service, max }: { service: string; max: number }): Promise<ReleaseResult> {
    let deviceCount = 0;
    for (const job of this.jobs.filter(({ waitsFor }) => waitsFor.includes(service))) {
      if (deviceCount >= max) return { deviceCount, isComplete: false };
      const pending = job.work.kind === "devices" ? job.work.pending : [];
      deviceCount += Math.max(
        1,
        pending.filter(({ waitsFor }) => waitsFor?.service === service).length,
      );
      job.waitsFor = job.waitsFor.filter((name) => name !== service);
      if (job.owner === "") job.runAt = Math.min(job.runAt, this.#now());
    }
    return { deviceCount, isComplete: true };
  }

  async makeProbesDue(service: string, max: number): Promise<number> {
    const waitingJobs = this.jobs
      .filter(({ owner, waitsFor, runAt }) => {
        return owner === "" && waitsFor.includes(service) && runAt > this.#now();
      })
      .slice(0, max);
    for (const job of waitingJobs) job.runAt = this.#now();
    return waitingJobs.length;
  }

  async recover(): Promise<number> {
    const leasedJobs = this.jobs.filter(({ owner }) => owner !== "");
    for (const job of leasedJobs) this.#abandon(job);
    return leasedJobs.length;
  }

  async reclaim(owners: readonly string[]): Promise<number> {
    const limit = this.#now() + LEASE_AHEAD_MAX_MS;
    const leasedJobs = this.jobs.filter(
      ({ owner, runAt }) => owners.includes(owner) && runAt <= limit,
    );
    for (const job of leasedJobs) this.#abandon(job);
    return leasedJobs.length;
  }

  async endOverlongLeases(): Promise<number> {
    const limit = this.#now() + LEASE_AHEAD_MAX_MS;
    const jobsAhead = this.jobs.filter(({ owner, runAt }) => owner !== "" && runAt > limit);
    for (const job of jobsAhead) job.runAt = this.#now();
    return jobsAhead.length;
  }

  async makeWaitingJobsDue({ after, max }: { after: string; max: number }) {
    const waitingJobs = this.jobs
      .filter(({ id, owner, runAt }) => id > after && owner === "" && runAt > this.#now())
      .slice(0, max);
    for (const job of waitingJobs) job.runAt = this.#now();
    return { count: waitingJobs.length, lastId: waitingJobs.at(-1)?.id ?? after };
  }

  async endWaits(services: readonly string[]): Promise<void> {
    for (const job of this.jobs) {
      const isWaiting = job.owner === "" && job.runAt > this.#now();
      if (isWaiting && job.waitsFor.some((service) => services.includes(service))) {
        job.runAt = this.#now();
        job.waitsFor = job.waitsFor.filter((service) => !services.includes(service));
      }
    }
  }

  async listAwaitedServices(max: number): Promise<readonly string[]> {
    const services = this.jobs.flatMap(({ waitsFor }) => waitsFor);
    return [...new Set(services)].toSorted().slice(0, max);
  }

  async findNextDueAt(): Promise<number | null> {
    return this.jobs.length === 0 ? null : Math.min(...this.jobs.map(({ runAt }) => runAt));
  }

  async getQueueStats(): Promise<QueueStats> {
    const dueJobs = this.jobs.filter(({ runAt }) => runAt <= this.#now());
    const oldest = await this.findNextDueAt();
    const oldestDueMs = oldest === null ? 0 : Math.max(0, this.#now() - oldest);
    return { jobs: this.jobs.length, due: dueJobs.length, oldestDueMs };
  }

  #abandon(job: ModelJob): void {
    const { crashes, mark, suspect } = job;
    const crashed = { crashes: crashes + 1, suspect: mark ?? suspect, mark: null };
    Object.assign(job, { runAt: this.#now(), owner: "", ...crashed });
  }

  #accept(request: AcceptRequest): AcceptResult {
    const key = request.idempotency;
    if (key !== null) {
      const name = `${key.keyId} ${key.keyHash}`;
      const rememberedRequest = this.#idempotencyKeys.get(name);
      const isRemembered =
        rememberedRequest !== undefined && this.#now() - rememberedRequest.at < REMEMBERED_MS;
      if (isRemembered && rememberedRequest.hash !== key.contentHash) return { kind: "mismatch" };
      if (isRemembered)
        return { kind: "replayed", notificationId: rememberedRequest.id, targets: null };
      const { id } = request.notification;
      this.#idempotencyKeys.set(name, { hash: key.contentHash, id, at: this.#now() });
    }
    const { work } = request;
    if (work?.kind === "audience") throw new Error("The model has no devices.");
    const accepted = { kind: "accepted", job: null, targets: null } as const;
    if (work === null) return accepted;
    const job = this.#insert(request, work);
    if (!request.takeLease) return accepted;
    Object.assign(job, { owner: this.#owner, runAt: this.#now() + LEASE_MS });
    return { ...accepted, job: this.#toLeasedJob(job) };
  }

  #insert(request: AcceptRequest, work: Work): ModelJob {
    this.#lastId += 1;
    const id = String(this.#lastId).padStart(12, "0");
    const initialState = {
      epoch: 1,
      crashes: 0,
      owner: "",
      waitsFor: [],
      mark: null,
      suspect: null,
    };
    const job = { id, request, work, runAt: this.#now(), ...initialState };
    this.jobs.push(job);
    return job;
  }

  #findLeased({ jobId, epoch }: Lease): ModelJob | undefined {
    return this.jobs.find((job) => job.id === jobId && job.epoch === epoch);
  }

  #applyStep(job: ModelJob, next: NextStep): void {
    if (next.kind === "mark") {
      job.mark = next.mark;
      return;
    }
    Object.assign(job, { mark: null, suspect: null });
    switch (next.kind) {
      case "done":
        this.jobs.splice(this.jobs.indexOf(job), 1);
        return;
      case "checkpoint":
        job.work = { kind: "devices", pending: next.pending };
        job.runAt = next.until;
        return;
      case "retry":
        job.work = { kind: "devices", pending: next.pending };
        Object.assign(job, { runAt: next.at, owner: "", waitsFor: next.waitsFor });
        return;
      case "expand":
        // A repeated step finds the cursor already moved.
        if (job.work.kind !== "devices" && job.work.range.after === next.from) {
          this.#addDeviceCount(job, next.deviceCount);
          for (const range of next.chunks) this.#insert(job.request, { kind: "range", range });
        }
        job.work = { kind: "expand", range: { after: next.cursor, upTo: "" } };
        job.runAt = next.until;
    }
  }

  #addDeviceCount({ request: { notification } }: ModelJob, addedCount: number): void {
    const { id, deviceCount } = notification;
    this.#deviceCounts.set(id, (this.#deviceCounts.get(id) ?? deviceCount ?? 0) + addedCount);
  }

  #toLeasedJob({ id, request, work, runAt, epoch, crashes, suspect }: ModelJob): LeasedJob {
    const lease = { jobId: id, epoch, until: runAt };
    const { lane, notification: accepted } = request;
    const deviceCount = this.#deviceCounts.get(accepted.id) ?? accepted.deviceCount;
    return { lease, lane, notification: { ...accepted, deviceCount }, work, crashes, suspect };
  }
}
