/** Facts about a browser that matter for notifications. */
export interface BrowserFacts {
  readonly isSecure: boolean;
  readonly hasWorkers: boolean;
  readonly hasPush: boolean;
  readonly hasNotifications: boolean;
  /** An iPhone or iPad. */
  readonly isAppleMobile: boolean;
  /** Opened from the Home Screen or as an installed app. */
  readonly isInstalled: boolean;
  readonly permission: "default" | "granted" | "denied";
  readonly subscription: { readonly endpoint: string; readonly serverKey: string | null } | null;
}

/** State of notifications in this browser, which decides what a page says and offers. */
export type Capability =
  /** Not a secure context: neither https nor localhost. */
  | "insecure"
  /** iOS and iPadOS push only into an app on the Home Screen. */
  | "needs-home-screen"
  | "unsupported"
  | "denied"
  | "off"
  /** The browser is a device of another account, whose session here has ended. */
  | "elsewhere"
  /** Subscribed with a key that the server no longer has: no push can arrive. */
  | "other-key"
  | "on";

/** Returns the state of notifications here; `registeredEndpoint` is that of this browser's device, null for none. */
export function capabilityOf(
  facts: BrowserFacts,
  account: {
    readonly serverKey: string;
    readonly registeredEndpoint: string | null;
    /** Another account registered this browser last and never gave it up. */
    readonly isElsewhere?: boolean;
  },
): Capability {
  const obstacle = obstacleOf(facts);
  if (obstacle !== null) return obstacle;
  const { subscription } = facts;
  if (facts.permission !== "granted" || subscription === null) return "off";
  if (account.isElsewhere === true) return "elsewhere";
  if (subscription.endpoint !== account.registeredEndpoint) return "off";
  const isSameKey = subscription.serverKey === null || subscription.serverKey === account.serverKey;
  return isSameKey ? "on" : "other-key";
}

/** Returns the obstacle that keeps this browser from being a device of any account; null for none. */
export function obstacleOf(
  facts: BrowserFacts,
): "insecure" | "needs-home-screen" | "unsupported" | "denied" | null {
  if (!facts.isSecure) return "insecure";
  const isComplete = facts.hasWorkers && facts.hasPush && facts.hasNotifications;
  if (!isComplete) {
    return facts.isAppleMobile && !facts.isInstalled ? "needs-home-screen" : "unsupported";
  }
  return facts.permission === "denied" ? "denied" : null;
}
