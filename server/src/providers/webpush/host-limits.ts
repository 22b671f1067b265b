import type { Rule } from "./endpoint-policy.ts";

/** The attributes of a request that limits apply to. */
export interface LimitedRequest {
  readonly host: string;
  readonly rule: Rule;
  /** The owner of the device. */
  readonly accountId: string;
  /** One of a bulk send, which may use only a part of each limit. */
  readonly isBulk: boolean;
}

/** Releases the acquired room. */
export type HostRelease = () => void;

export interface HostLimitsDeps {
  /** Returns the limit of a host; called for each request. */
  readonly limitAt: (host: string) => number;
  /** Whether a host answered recently. */
  readonly hasAnswered: (host: string) => boolean;
}

/** The limit of all rules together; more than an operator's rules usually fill. */
const MAX_TOTAL = 400;
/** Each rule has its own limit, so that the hosts of one rule cannot exhaust another's. */
const MAX_OF_RULE = 20;
const MAX_OF_ANY_HOST = 50;
/**
 * The part of a rule's limit for hosts without a recent answer, if it admits many hosts: accounts can register any number of
 * hosts that never answer.
 */
const UNPROVEN_PART = 0.5;
/** One message suffices to learn whether a host answers, … */
const UNPROVEN_OF_HOST = 1;
/** … and one account may use only a few such hosts at once. */
const UNPROVEN_OF_ACCOUNT = 4;
/** The part of each limit that bulk messages may use. */
const BULK_PART = 0.6;

/** Limits concurrent requests: in all, by rule, by host, and for hosts without a recent answer. */
export class HostLimits {
  readonly #deps: HostLimitsDeps;
  readonly #all = new UsageCounters();
  readonly #rules = new UsageCounters();
  readonly #hosts = new UsageCounters();
  readonly #unprovenOfRules = new UsageCounters();
  readonly #unprovenOfAccounts = new UsageCounters();

  constructor(deps: HostLimitsDeps) {
    this.#deps = deps;
  }

  /**
   * Returns whether only the registration of a device vouches for the host: it has no rule of its own and no recent answer.
   */
  isUnproven({ host, rule }: Pick<LimitedRequest, "host" | "rule">): boolean {
    return rule.admits !== "one host" && !this.#deps.hasAnswered(host);
  }

  get isFull(): boolean {
    return !this.#all.hasRoom({ name: "", max: MAX_TOTAL, isBulk: false });
  }

  hasRoom(request: LimitedRequest): boolean {
    const { isBulk } = request;
    return this.#boundsOf(request).every(({ counters, name, max }) =>
      counters.hasRoom({ name, max, isBulk }),
    );
  }

  /** Acquires room, even above the limit. */
  acquire(request: LimitedRequest): HostRelease {
    const { isBulk } = request;
    const bounds = this.#boundsOf(request);
    for (const { counters, name } of bounds) counters.count(name, { isBulk, change: 1 });
    return () => {
      for (const { counters, name } of bounds) counters.count(name, { isBulk, change: -1 });
    };
  }

  #boundsOf(request: LimitedRequest): readonly Bound[] {
    const { host, rule, accountId } = request;
    const isUnproven = this.isUnproven(request);
    const ofRule = rule.admits === "any host" ? MAX_OF_ANY_HOST : MAX_OF_RULE;
    const ofHost = isUnproven ? UNPROVEN_OF_HOST : this.#deps.limitAt(host);
    const bounds = [
      { counters: this.#all, name: "", max: MAX_TOTAL },
      { counters: this.#rules, name: rule.name, max: ofRule },
      { counters: this.#hosts, name: host, max: ofHost },
    ];
    if (!isUnproven) return bounds;
    return [
      ...bounds,
      { counters: this.#unprovenOfRules, name: rule.name, max: ofRule * UNPROVEN_PART },
      { counters: this.#unprovenOfAccounts, name: accountId, max: UNPROVEN_OF_ACCOUNT },
    ];
  }
}

interface Bound {
  readonly counters: UsageCounters;
  readonly name: string;
  readonly max: number;
}

/** How many requests are under way, and how many of them are bulk. */
interface Taken {
  inUse: number;
  inBulk: number;
}

/** Counts by name; a name without requests is forgotten. */
class UsageCounters {
  readonly #taken = new Map<string, Taken>();

  hasRoom({ name, max, isBulk }: { name: string; max: number; isBulk: boolean }): boolean {
    const { inUse, inBulk } = this.#taken.get(name) ?? NOTHING;
    return inUse < max && (!isBulk || inBulk < Math.max(1, Math.floor(max * BULK_PART)));
  }

  count(name: string, { isBulk, change }: { isBulk: boolean; change: 1 | -1 }): void {
    const taken = this.#taken.get(name) ?? { inUse: 0, inBulk: 0 };
    taken.inUse += change;
    if (isBulk) taken.inBulk += change;
    if (taken.inUse === 0) this.#taken.delete(name);
    else this.#taken.set(name, taken);
  }
}

const NOTHING: Taken = { inUse: 0, inBulk: 0 };
