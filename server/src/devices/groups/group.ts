/** A named set of an account's live devices. */
export interface DeviceGroup {
  readonly id: string;
  readonly name: string;
  /** In the order in which the devices were added to the account. */
  readonly deviceIds: readonly string[];
}

/** An account has at most this many groups. */
export const GROUPS_MAX = 200;

/** A group has at most this many devices. */
export const GROUP_DEVICES_MAX = 500;
