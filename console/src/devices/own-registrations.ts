/** Devices that this page registered itself, about which its reader needs no warning. */
export interface OwnRegistrations {
  /** Runs a registration and remembers the device that it made. */
  readonly run: <Made extends { readonly id: string }>(
    register: () => Promise<Made>,
  ) => Promise<Made>;
  /**
   * Resolves with whether this page registered a device. Waits for a registration in progress, as the live event may
   * come before its answer.
   */
  readonly has: (deviceId: string) => Promise<boolean>;
}

/** Returns an empty record of one page's registrations. */
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

/** The registrations of this page. */
export const ownRegistrations: OwnRegistrations = createOwnRegistrations();
