import assert from "node:assert/strict";
import type { AcceptRequest, DeliveryStore, NextStep } from "#delivery/store/delivery-store.ts";
import {
  BULK_LANE,
  createPendingDevices,
  type DeliveryResult,
  type Lane,
  type Lease,
  type LeasedJob,
  type PendingDevice,
} from "#delivery/delivery.ts";
import type { History } from "#delivery/history.ts";
import { LEASE_MS } from "#delivery/lease.ts";
import { createNotification } from "../support/notifications.ts";
import {
  compareByDevice,
  compareByWork,
  toComparableJob,
  toComparableResult,
} from "./comparable-jobs.ts";
import { DeliveryModel } from "./delivery-model.ts";
import { INTERACTION, SERVICES, type Step } from "./delivery-steps.ts";

/** The idempotency keys of a sequence, and key 0, which stands for none. */
const KEY_COUNT = 6;

/** A store under test, with a clock that the test advances. */
export interface StoreUnderTest {
  readonly store: DeliveryStore;
  readonly now: () => number;
  readonly advance: (ms: number) => void;
  readonly owner: string;
  /** Returns the recorded results of a notification. */
  readonly readResults: (notificationId: string) => Promise<readonly DeliveryResult[]>;
}

/** A lease of the store and the matching lease of the model. Stale pairs stay in the list, and are used again. */
interface LeasePair {
  readonly job: LeasedJob;
  readonly real: Lease;
  readonly model: Lease;
}

/** Runs a sequence on the store and on the model. Throws if they differ. */
export async function compareWithModel(
  underTest: StoreUnderTest,
  sequence: readonly Step[],
): Promise<void> {
  const run = new Comparison(underTest);
  for (const step of sequence) await run.applyStep(step);
  await run.compareResults();
}

class Comparison {
  readonly #underTest: StoreUnderTest;
  readonly #model: DeliveryModel;
  readonly #pairs: LeasePair[] = [];
  #count = 0;

  constructor(underTest: StoreUnderTest) {
    this.#underTest = underTest;
    this.#model = new DeliveryModel(underTest.now, underTest.owner);
  }

  async applyStep(step: Step): Promise<void> {
    await this.#run(step);
    const { store } = this.#underTest;
    assert.deepEqual(
      await store.getQueueStats(),
      await this.#model.getQueueStats(),
      `stats after ${step.kind}`,
    );
    assert.equal(await store.findNextDueAt(), await this.#model.findNextDueAt());
  }

  async compareResults(): Promise<void> {
    for (const [notificationId, expected] of this.#model.results) {
      const recorded = await this.#underTest.readResults(notificationId);
      assert.deepEqual(recorded.toSorted(compareByDevice), expected.toSorted(compareByDevice));
    }
  }

  async #run(step: Step): Promise<void> {
    switch (step.kind) {
      case "accept":
        return this.#accept(step);
      case "claim":
        return this.#claim(step);
      case "settle":
        return this.#settle(step);
      case "renew":
        return this.#renew(step.index);
      case "release":
        return this.#release(step.index);
      case "recover":
        assert.equal(await this.#underTest.store.recover(), await this.#model.recover());
        return;
      case "end leases ahead":
        assert.equal(
          await this.#underTest.store.endOverlongLeases(),
          await this.#model.endOverlongLeases(),
        );
        return;
      case "make waiting due": {
        const limits = { after: "", max: 1_000 };
        const { count } = await this.#underTest.store.makeWaitingJobsDue(limits);
        assert.equal(count, (await this.#model.makeWaitingJobsDue(limits)).count);
        return;
      }
      case "reclaim": {
        const deadOwners = ["another", ...(step.includesOwner ? [this.#underTest.owner] : [])];
        assert.equal(
          await this.#underTest.store.reclaim(deadOwners),
          await this.#model.reclaim(deadOwners),
        );
        return;
      }
      case "release waiting": {
        const { service } = step;
        const released = await this.#underTest.store.releaseWaiting({ service, max: 2 });
        assert.deepEqual(released, await this.#model.releaseWaiting({ service, max: 2 }));
        return;
      }
      case "probe": {
        const { service } = step;
        const probes = await this.#underTest.store.makeProbesDue(service, 1);
        assert.equal(probes, await this.#model.makeProbesDue(service, 1));
        return;
      }
      case "advance":
        this.#underTest.advance(step.ms);
    }
  }

  async #accept({ lane, key, content }: Step & { kind: "accept" }): Promise<void> {
    const requests = [0, 1].map((offset) =>
      this.#createRequest(lane, (key + offset) % KEY_COUNT, content),
    );
    const real = await this.#underTest.store.accept(requests);
    const model = await this.#model.accept(requests);
    assert.deepEqual(real.map(toComparableResult), model.map(toComparableResult));
    for (const [index, result] of real.entries()) {
      const modelResult = model[index];
      if (result.kind !== "accepted" || modelResult?.kind !== "accepted") continue;
      if (result.job === null || modelResult.job === null) continue;
      this.#addPairs([result.job], [modelResult.job]);
    }
  }

  /** Creates a request. Key 0 stands for no idempotency key. A batch may mix requests with and without a key. */
  #createRequest(lane: Lane, key: number, content: number): AcceptRequest {
    this.#count += 1;
    const id = `n${String(this.#count).padStart(4, "0")}`;
    const notification = createNotification({ newId: () => id, now: this.#underTest.now }, "ann", {
      keyId: "k",
      title: `Title of ${id}`,
      deviceCount: 2,
      // Every other notification is a plain one.
      interaction: this.#count % 2 === 0 ? INTERACTION : null,
    });
    const idempotency =
      key === 0 ? null : { keyId: "k", keyHash: `h${key}`, contentHash: `c${content}` };
    const work =
      lane === BULK_LANE
        ? ({ kind: "expand", range: { after: "", upTo: "" } } as const)
        : ({ kind: "devices", pending: createPendingDevices(["d1", "d2"], 0) } as const);
    return { notification, lane, work, idempotency, takeLease: this.#count % 3 !== 0 };
  }

  async #claim({ lane, max }: Step & { kind: "claim" }): Promise<void> {
    const input = { lane, max, until: this.#underTest.now() + LEASE_MS };
    const real = (await this.#underTest.store.claim(input)).toSorted(compareByWork);
    const model = (await this.#model.claim(input)).toSorted(compareByWork);
    assert.deepEqual(real.map(toComparableJob), model.map(toComparableJob));
    this.#addPairs(real, model);
  }

  async #settle({ index, next: kind }: Step & { kind: "settle" }): Promise<void> {
    const pair = this.#findPair(index);
    if (pair === null) return;
    const next = this.#createNextStep(kind, {
      index,
      pair,
      waitsFor: SERVICES.slice(0, index % 3),
    });
    const isRecorded = kind !== "expand" && kind !== "mark";
    const results = isRecorded ? [this.#createResult(`d${index}`)] : [];
    const { id: notificationId } = pair.job.notification;
    this.#count += 1;
    const settlement = {
      id: `s${this.#count}`,
      notificationId,
      results,
      next,
      deviceStateUpdate: null,
    };
    // A caller that loses the response submits the settlement again.
    for (let submission = 0; submission < 1 + (index % 2); submission += 1) {
      const real = await this.#underTest.store.settle([{ ...settlement, lease: pair.real }]);
      const model = await this.#model.settle([{ ...settlement, lease: pair.model }]);
      assert.deepEqual(real, model);
    }
  }

  #createNextStep(
    kind: NextStep["kind"],
    {
      index,
      pair: { job },
      waitsFor,
    }: { index: number; pair: LeasePair; waitsFor: readonly string[] },
  ): NextStep {
    if (kind === "mark") {
      const deviceId = index % 2 === 0 ? `d${index}` : null;
      return { kind, mark: index % 5 === 0 ? null : { deviceId, crashes: index % 3 } };
    }
    const at = this.#underTest.now() + 1_000;
    const pending: readonly PendingDevice[] = [
      {
        deviceId: "d2",
        attempts: 1,
        tries: 2,
        runAt: at,
        code: "transient",
        detail: "a.example",
        crashes: 1,
        waitsFor: { service: "fcm", epoch: "node 1" },
        history: this.#createHistory(at),
      },
    ];
    const until = this.#underTest.now() + LEASE_MS;
    if (kind === "checkpoint") return { kind, pending, until };
    if (kind === "retry") return { kind, pending, at, waitsFor };
    if (kind !== "expand" || job.work.kind !== "expand") return { kind: "done" };
    const { after } = job.work.range;
    const chunks = [`${after}m`, `${after}t`].map((upTo) => ({ after, upTo }));
    return { kind, from: after, cursor: `${after}t`, chunks, deviceCount: 2, until };
  }

  #createResult(deviceId: string): DeliveryResult {
    const accepted = {
      provider: "webpush",
      state: "accepted",
      code: "accepted",
      detail: null,
    } as const;
    const result = { deviceId, ...accepted, attempts: 1, at: this.#underTest.now() };
    // The result of d2 has a history, so that results with and without one are compared.
    return deviceId === "d2" ? { ...result, history: this.#createHistory(result.at) } : result;
  }

  #createHistory(at: number): History {
    const providerResponse = { code: "transient", detail: "a.example answered 503" } as const;
    return {
      attempts: [{ kind: "retry", at, ...providerResponse, nextAt: at + 1_000 }],
      leftOut: 3,
    };
  }

  async #renew(index: number): Promise<void> {
    const pair = this.#findPair(index);
    if (pair === null) return;
    const until = this.#underTest.now() + LEASE_MS;
    const real = await this.#underTest.store.renew([pair.real], until);
    assert.equal(real.length, (await this.#model.renew([pair.model], until)).length);
  }

  async #release(index: number): Promise<void> {
    const pair = this.#findPair(index);
    if (pair === null) return;
    await this.#underTest.store.releaseLeases([pair.real], this.#underTest.now());
    await this.#model.releaseLeases([pair.model], this.#underTest.now());
  }

  #findPair(index: number): LeasePair | null {
    return this.#pairs[index % Math.max(1, this.#pairs.length)] ?? null;
  }

  #addPairs(real: readonly LeasedJob[], model: readonly LeasedJob[]): void {
    for (const [index, job] of real.entries()) {
      const modelJob = model[index];
      if (modelJob !== undefined) this.#pairs.push({ job, real: job.lease, model: modelJob.lease });
    }
  }
}
