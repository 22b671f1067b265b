/** The devices that this page registered. The page shows no warning about them. */
export interface OwnRegistrations {
  /** Runs a registration and stores the id of the new device. */
  readonly run: <Registered extends { readonly id: string }>(
    register: () => Promise<Registered>,
  ) => Promise<Registered>;
  /**
   * Resolves with whether this page registered a device. Waits for a registration in progress, because the live event
   * may arrive before its response.
   */
  readonly has: (deviceId: string) => Promise<boolean>;
}

/** Returns an empty record of one page's registrations. */
export function createOwnRegistrations(): OwnRegistrations {
  const deviceIds = new Set<string>();
  let pendingRegistrations: Promise<unknown> = Promise.resolve();
  return {
    run(register) {
      const registration = register().then((device) => {
        deviceIds.add(device.id);
        return device;
      });
      pendingRegistrations = Promise.allSettled([pendingRegistrations, registration]);
      return registration;
    },
    async has(deviceId) {
      await pendingRegistrations;
      return deviceIds.has(deviceId);
    },
  };
}

/** The registrations of this page. */
export const ownRegistrations: OwnRegistrations = createOwnRegistrations();
