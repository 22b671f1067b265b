/** The owner of the devices, or the devices themselves. */
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

/** Returns the text of a place, for a range's end or a cursor: `<account id>/<device id>`. */
export function positionOf({ accountId, deviceId }: AudiencePosition): string {
  return `${accountId}/${deviceId}`;
}

/** Returns the place of a text; throws for text that `positionOf` did not make. */
export function placeOf(position: string): AudiencePosition {
  const [accountId = "", deviceId = "", ...rest] = position.split("/");
  if (accountId === "" || deviceId === "" || rest.length > 0) {
    throw new Error("A range of devices begins and ends at positions, not at ids.");
  }
  return { accountId, deviceId };
}
