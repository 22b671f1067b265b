/** A named set of an account's live devices. */
export interface DeviceGroup {
  readonly id: string;
  readonly name: string;
  /** In the order in which the devices were added to the account. */
  readonly deviceIds: readonly string[];
}

/** The maximum number of groups per account. */
export const GROUPS_MAX = 200;

/** The maximum number of devices in a group. */
export const GROUP_DEVICES_MAX = 500;
