import type { Rule } from "./endpoint-policy.ts";

/** What an attempt takes places of. */
export interface PlaceOf {
  readonly host: string;
  readonly rule: Rule;
  /** Whose device it is. */
  readonly accountId: string;
  /** One of very many: some places are never its own. */
  readonly isBulk: boolean;
}

/** Gives back the place that was taken. */
export type Leave = () => void;

export interface PlacesOptions {
  /** How many requests one host may have at once; asked anew for each. */
  readonly placesAt: (host: string) => number;
  /** Whether a host answered lately. */
  readonly hasAnswered: (host: string) => boolean;
}

/** Those of all rules together, which the operator's rules are hardly enough to fill. */
const MAX_TOTAL = 400;
/** Each rule has places that no other rule's hosts take, however many they are. */
const MAX_OF_RULE = 20;
const MAX_OF_ANY_HOST = 50;
/** Where a rule admits many hosts, so much of its places is for those that answered lately: whoever registers browsers names any number of hosts that never do. */
const UNHEARD_PART = 0.5;
/** One message tells whether a host answers; … */
const UNHEARD_OF_HOST = 1;
/** … and one account may ask only a few such hosts at once. */
const UNHEARD_OF_ACCOUNT = 4;
/** So much of all places, of those of a rule, and of those of one host, may be taken by messages to very many. */
const BULK_PART = 0.6;

/** Counts how many requests run at once: in all, by rule, by host, and of those to hosts from which nothing was heard lately. */
export class Places {
  readonly #options: PlacesOptions;
  readonly #all = new OutcomeCounters();
  readonly #rules = new OutcomeCounters();
  readonly #hosts = new OutcomeCounters();
  readonly #unheardOfRules = new OutcomeCounters();
  readonly #unheardOfAccounts = new OutcomeCounters();

  constructor(options: PlacesOptions) {
    this.#options = options;
  }

  /** Says whether nothing vouches for the host but whoever registered the device: neither a rule of its own nor an answer. */
  isUnheard({ host, rule }: Pick<PlaceOf, "host" | "rule">): boolean {
    return rule.admits !== "one host" && !this.#options.hasAnswered(host);
  }

  get isFull(): boolean {
    return !this.#all.hasRoom({ name: "", max: MAX_TOTAL, isBulk: false });
  }

  hasRoom(place: PlaceOf): boolean {
    const { isBulk } = place;
    return this.#boundsOf(place).every(({ tally, name, max }) =>
      tally.hasRoom({ name, max, isBulk }),
    );
  }

  /** Takes a place, whether there is room or not. */
  take(place: PlaceOf): Leave {
    const { isBulk } = place;
    const bounds = this.#boundsOf(place);
    for (const { tally, name } of bounds) tally.count(name, { isBulk, change: 1 });
    return () => {
      for (const { tally, name } of bounds) tally.count(name, { isBulk, change: -1 });
    };
  }

  #boundsOf(place: PlaceOf): readonly Bound[] {
    const { host, rule, accountId } = place;
    const isUnheard = this.isUnheard(place);
    const ofRule = rule.admits === "any host" ? MAX_OF_ANY_HOST : MAX_OF_RULE;
    const ofHost = isUnheard ? UNHEARD_OF_HOST : this.#options.placesAt(host);
    const bounds = [
      { tally: this.#all, name: "", max: MAX_TOTAL },
      { tally: this.#rules, name: rule.name, max: ofRule },
      { tally: this.#hosts, name: host, max: ofHost },
    ];
    if (!isUnheard) return bounds;
    return [
      ...bounds,
      { tally: this.#unheardOfRules, name: rule.name, max: ofRule * UNHEARD_PART },
      { tally: this.#unheardOfAccounts, name: accountId, max: UNHEARD_OF_ACCOUNT },
    ];
  }
}

interface Bound {
  readonly tally: OutcomeCounters;
  readonly name: string;
  readonly max: number;
}

/** How many places are taken, and how many of them in bulk. */
interface Taken {
  places: number;
  inBulk: number;
}

/** What is taken, by name; it remembers nobody who has nothing. */
class OutcomeCounters {
  readonly #taken = new Map<string, Taken>();

  hasRoom({ name, max, isBulk }: { name: string; max: number; isBulk: boolean }): boolean {
    const { places, inBulk } = this.#taken.get(name) ?? NOTHING;
    return places < max && (!isBulk || inBulk < Math.max(1, Math.floor(max * BULK_PART)));
  }

  count(name: string, { isBulk, change }: { isBulk: boolean; change: 1 | -1 }): void {
    const taken = this.#taken.get(name) ?? { places: 0, inBulk: 0 };
    taken.places += change;
    if (isBulk) taken.inBulk += change;
    if (taken.places === 0) this.#taken.delete(name);
    else this.#taken.set(name, taken);
  }
}

const NOTHING: Taken = { places: 0, inBulk: 0 };
