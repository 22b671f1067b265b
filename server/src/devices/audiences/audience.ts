/**
 * The devices that a notification is for: all of an account, a team or a group, or one device. In a query, an id may be
 * an expression.
 */
export type Audience<Id = string> =
  | { readonly kind: "account"; readonly accountId: Id }
  | { readonly kind: "team"; readonly teamId: Id }
  | { readonly kind: "group"; readonly accountId: Id; readonly groupId: Id }
  | { readonly kind: "device"; readonly accountId: Id; readonly deviceId: Id };

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
