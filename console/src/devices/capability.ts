/** What a browser says about itself, as far as notifications need it. */
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

/** What is to be told and offered about notifications in this browser. */
export type Capability =
  /** Not a secure context: neither https nor localhost. */
  | "insecure"
  /** iOS and iPadOS push only into an app on the Home Screen. */
  | "needs-home-screen"
  | "unsupported"
  | "denied"
  | "off"
  /** It is a device of another account, whose session here has ended. */
  | "elsewhere"
  /** Subscribed with a key that the server no longer has: nothing can arrive. */
  | "other-key"
  | "on";

/** Returns what this browser can do; `registeredEndpoint` is that of its device in the account, null for none. */
export function capabilityOf(
  facts: BrowserFacts,
  account: {
    readonly serverKey: string;
    readonly registeredEndpoint: string | null;
    /** The browser was registered last by another account, and never given up. */
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

/** Returns what keeps this browser from being a device, whatever the account; null for nothing. */
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
