/** The facts about a browser that notifications depend on. */
export interface BrowserFacts {
  readonly isSecure: boolean;
  readonly hasServiceWorkers: boolean;
  readonly hasPush: boolean;
  readonly hasNotifications: boolean;
  /** Whether the device is an iPhone or iPad. */
  readonly isAppleMobile: boolean;
  /** Whether the page was opened from the Home Screen or as an installed app. */
  readonly isInstalled: boolean;
  readonly permission: "default" | "granted" | "denied";
  readonly subscription: { readonly endpoint: string; readonly serverKey: string | null } | null;
}

/** An obstacle that keeps this browser from being a device of any account. */
export type NotificationObstacle =
  /** Not a secure context: neither https nor localhost. */
  | "insecure"
  /** iOS and iPadOS deliver pushes only to an app on the Home Screen. */
  | "needs-home-screen"
  | "unsupported"
  | "denied";

/** The state of notifications in this browser. It decides the texts and buttons of the page. */
export type NotificationState =
  | NotificationObstacle
  | "off"
  /** The browser is a device of another account whose session in this browser has ended. */
  | "other-account"
  /** The subscription has a key that the server no longer uses, so no push can arrive. */
  | "other-key"
  | "on";

/**
 * Returns the state of notifications. `registeredEndpoint` is the endpoint of this browser's device; null if there is
 * none.
 */
export function findNotificationState(
  facts: BrowserFacts,
  registration: {
    readonly serverKey: string;
    readonly registeredEndpoint: string | null;
    /** Whether another account registered this browser last and never removed it. */
    readonly belongsToOtherAccount?: boolean;
  },
): NotificationState {
  const obstacle = findObstacle(facts);
  if (obstacle !== null) return obstacle;
  const { subscription } = facts;
  if (facts.permission !== "granted" || subscription === null) return "off";
  if (registration.belongsToOtherAccount === true) return "other-account";
  if (subscription.endpoint !== registration.registeredEndpoint) return "off";
  const isSameKey =
    subscription.serverKey === null || subscription.serverKey === registration.serverKey;
  return isSameKey ? "on" : "other-key";
}

/** Returns the first obstacle; null if there is none. */
export function findObstacle(facts: BrowserFacts): NotificationObstacle | null {
  if (!facts.isSecure) return "insecure";
  const hasFeatures = facts.hasServiceWorkers && facts.hasPush && facts.hasNotifications;
  if (!hasFeatures) {
    return facts.isAppleMobile && !facts.isInstalled ? "needs-home-screen" : "unsupported";
  }
  return facts.permission === "denied" ? "denied" : null;
}
