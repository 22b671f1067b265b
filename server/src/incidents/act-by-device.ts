import type { Actor } from "#audit/event.ts";
import { AppError } from "#errors.ts";
import { actAsPerson, type PersonalActDeps } from "./act-as-person.ts";

/** The owner of a device, who acts with its action key. */
export interface ActingOwner {
  readonly deviceId: string;
  readonly accountId: string;
  readonly actor: Actor;
}

/** The acts of the buttons of a notification. */
export type ButtonAct = "acknowledge" | "escalate" | "ring_again";

/**
 * Performs the act of a button, and returns a sentence about its effect. Throws `not_found` unless the incident was
 * pushed to this very device, and `not_ringing` if the incident cannot be passed on or cannot ring again.
 */
export async function actByDevice(
  deps: PersonalActDeps,
  { deviceId, accountId, actor }: ActingOwner,
  { kind, incidentId }: { readonly kind: ButtonAct; readonly incidentId: string },
): Promise<{ readonly message: string }> {
  const origin = { via: "button", note: null } as const;
  const order = { ...origin, accountId, deviceId, actor, incidentId, kind };
  const acted = await actAsPerson(deps, order);
  if (acted === null) throw new AppError("not_found", "This device was sent no such incident.");
  if (kind !== "acknowledge" && !acted.isChanged) throw new AppError("not_ringing", acted.message);
  return { message: acted.message };
}
