/** The recipients of a notification: all devices of an account, a team or a group, or one device. */
export type Audience =
  | { readonly kind: "account"; readonly accountId: string }
  | { readonly kind: "team"; readonly teamId: string }
  | { readonly kind: "group"; readonly accountId: string; readonly groupId: string }
  | { readonly kind: "device"; readonly accountId: string; readonly deviceId: string };

/** A position in the order of an audience's devices. */
export interface AudiencePosition {
  readonly accountId: string;
  readonly deviceId: string;
}

/** Returns a position as a string, for the end of a range or for a cursor: `<account id>/<device id>`. */
export function formatPosition({ accountId, deviceId }: AudiencePosition): string {
  return `${accountId}/${deviceId}`;
}

/** Parses a position; throws for a string that `formatPosition` did not return. */
export function parsePosition(position: string): AudiencePosition {
  const [accountId = "", deviceId = "", ...rest] = position.split("/");
  if (accountId === "" || deviceId === "" || rest.length > 0) {
    throw new Error("A range of devices begins and ends at positions, not at ids.");
  }
  return { accountId, deviceId };
}
