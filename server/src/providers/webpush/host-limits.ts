import type { Rule } from "./endpoint-policy.ts";

/** What an attempt takes places of. */
export interface LimitedRequest {
  readonly host: string;
  readonly rule: Rule;
  /** Whose device it is. */
  readonly accountId: string;
  /** One of very many: some places are never its own. */
  readonly isBulk: boolean;
}

/** Gives back the place that was taken. */
export type Release = () => void;

export interface HostLimitsDeps {
  /** How many requests one host may have at once; asked anew for each. */
  readonly limitAt: (host: string) => number;
  /** Whether a host answered lately. */
  readonly hasAnswered: (host: string) => boolean;
}

/** Those of all rules together, which the operator's rules are hardly enough to fill. */
const MAX_TOTAL = 400;
/** Each rule has places that no other rule's hosts take, however many they are. */
const MAX_OF_RULE = 20;
const MAX_OF_ANY_HOST = 50;
/** Where a rule admits many hosts, so much of its places is for those that answered lately: whoever registers browsers names any number of hosts that never do. */
const UNPROVEN_PART = 0.5;
/** One message tells whether a host answers; … */
const UNPROVEN_OF_HOST = 1;
/** … and one account may ask only a few such hosts at once. */
const UNPROVEN_OF_ACCOUNT = 4;
/** So much of all places, of those of a rule, and of those of one host, may be taken by messages to very many. */
const BULK_PART = 0.6;

/** Counts how many requests run at once: in all, by rule, by host, and of those to hosts from which nothing was heard lately. */
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

  /** Says whether nothing vouches for the host but whoever registered the device: neither a rule of its own nor an answer. */
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

  /** Takes a place, whether there is room or not. */
  acquire(request: LimitedRequest): Release {
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

/** How many places are taken, and how many of them in bulk. */
interface Taken {
  inUse: number;
  inBulk: number;
}

/** What is taken, by name; it remembers nobody who has nothing. */
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
