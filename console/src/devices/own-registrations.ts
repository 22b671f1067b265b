/** Tells which devices this page registered itself: of those, its reader needs no warning. */
export interface OwnRegistrations {
  /** Runs a registration, and remembers what it made. */
  readonly run: <Made extends { readonly id: string }>(
    register: () => Promise<Made>,
  ) => Promise<Made>;
  /** Says whether this page registered a device; a registration under way is waited for, as the news of it may come first. */
  readonly has: (deviceId: string) => Promise<boolean>;
}

/** Returns the registrations of one page. */
export function createOwnRegistrations(): OwnRegistrations {
  const own = new Set<string>();
  let underWay: Promise<unknown> = Promise.resolve();
  return {
    run(register) {
      const made = register().then((device) => {
        own.add(device.id);
        return device;
      });
      underWay = Promise.allSettled([underWay, made]);
      return made;
    },
    async has(deviceId) {
      await underWay;
      return own.has(deviceId);
    },
  };
}

/** Those of this page. */
export const ownRegistrations: OwnRegistrations = createOwnRegistrations();
