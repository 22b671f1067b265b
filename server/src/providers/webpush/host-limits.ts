import type { HostRule } from "./endpoint-policy.ts";

/** The properties of a request that its limits depend on. */
export interface LimitedRequest {
  readonly host: string;
  readonly rule: HostRule;
  /** The owner of the device. */
  readonly accountId: string;
  /** True for a bulk message, which may use only a part of each limit. */
  readonly isBulk: boolean;
}

/** A function that releases an acquired permit. */
export type ReleasePermit = () => void;

/** The state of hosts, as other parts of the provider track it. */
export interface HostLimitsDeps {
  /** Returns the limit of a host; called for each request. */
  readonly getHostLimit: (host: string) => number;
  /** Returns whether a host responded recently. */
  readonly hasRespondedRecently: (host: string) => boolean;
}

/** The limit of all rules together; more than an operator's rules usually fill. */
const TOTAL_MAX = 400;
/** Each rule has its own limit, so that the hosts of one rule cannot exhaust another's. */
const RULE_MAX = 20;
/** The limit of the rule that admits any host. */
const ANY_HOST_RULE_MAX = 50;
/**
 * The fraction of a rule's limit for hosts without a recent response, if the rule admits many hosts: accounts can
 * register any number of hosts that never respond.
 */
const UNPROVEN_FRACTION = 0.5;
/** The limit of a host without a recent response: one message shows whether it responds. */
const UNPROVEN_PER_HOST_MAX = 1;
/** The limit of an account for messages to hosts without a recent response. */
const UNPROVEN_PER_ACCOUNT_MAX = 4;
/** The fraction of each limit that bulk messages may use. */
const BULK_FRACTION = 0.6;

/** Limits concurrent requests: in total, per rule, per host, and for hosts without a recent response. */
export class HostLimits {
  readonly #deps: HostLimitsDeps;
  readonly #total = new UsageCounters();
  readonly #byRule = new UsageCounters();
  readonly #byHost = new UsageCounters();
  readonly #unprovenByRule = new UsageCounters();
  readonly #unprovenByAccount = new UsageCounters();

  constructor(deps: HostLimitsDeps) {
    this.#deps = deps;
  }

  /**
   * Returns whether a host is known only from a device's registration: it has no rule of its own and has not responded
   * recently.
   */
  isUnproven({ host, rule }: Pick<LimitedRequest, "host" | "rule">): boolean {
    return rule.admits !== "one host" && !this.#deps.hasRespondedRecently(host);
  }

  /** True if the limit of all rules together is reached. */
  get isFull(): boolean {
    return !this.#total.hasCapacity({ key: "", max: TOTAL_MAX, isBulk: false });
  }

  /** Returns whether every limit of a request has room for it. */
  hasCapacity(request: LimitedRequest): boolean {
    const { isBulk } = request;
    return this.#getLimits(request).every(({ counters, key, max }) =>
      counters.hasCapacity({ key, max, isBulk }),
    );
  }

  /** Acquires a permit, even above the limits. */
  acquire(request: LimitedRequest): ReleasePermit {
    const { isBulk } = request;
    const limits = this.#getLimits(request);
    for (const { counters, key } of limits) counters.add(key, { isBulk, change: 1 });
    return () => {
      for (const { counters, key } of limits) counters.add(key, { isBulk, change: -1 });
    };
  }

  #getLimits(request: LimitedRequest): readonly ConcurrencyLimit[] {
    const { host, rule, accountId } = request;
    const isUnproven = this.isUnproven(request);
    const ruleMax = rule.admits === "any host" ? ANY_HOST_RULE_MAX : RULE_MAX;
    const hostMax = isUnproven ? UNPROVEN_PER_HOST_MAX : this.#deps.getHostLimit(host);
    const limits = [
      { counters: this.#total, key: "", max: TOTAL_MAX },
      { counters: this.#byRule, key: rule.name, max: ruleMax },
      { counters: this.#byHost, key: host, max: hostMax },
    ];
    if (!isUnproven) return limits;
    return [
      ...limits,
      { counters: this.#unprovenByRule, key: rule.name, max: ruleMax * UNPROVEN_FRACTION },
      { counters: this.#unprovenByAccount, key: accountId, max: UNPROVEN_PER_ACCOUNT_MAX },
    ];
  }
}

interface ConcurrencyLimit {
  readonly counters: UsageCounters;
  /** The key of the counter: a rule, a host or an account; empty for the total. */
  readonly key: string;
  readonly max: number;
}

/** The number of running requests, and of bulk requests among them. */
interface Usage {
  total: number;
  bulk: number;
}

/** Counts requests by key; keys without requests are deleted. */
class UsageCounters {
  readonly #usage = new Map<string, Usage>();

  hasCapacity({ key, max, isBulk }: { key: string; max: number; isBulk: boolean }): boolean {
    const { total, bulk } = this.#usage.get(key) ?? NO_USAGE;
    return total < max && (!isBulk || bulk < Math.max(1, Math.floor(max * BULK_FRACTION)));
  }

  add(key: string, { isBulk, change }: { isBulk: boolean; change: 1 | -1 }): void {
    const usage = this.#usage.get(key) ?? { total: 0, bulk: 0 };
    usage.total += change;
    if (isBulk) usage.bulk += change;
    if (usage.total === 0) this.#usage.delete(key);
    else this.#usage.set(key, usage);
  }
}

const NO_USAGE: Usage = { total: 0, bulk: 0 };
