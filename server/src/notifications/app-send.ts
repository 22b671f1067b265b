import type { DeviceCharge } from "./charge.ts";
import { ReadDeadline } from "./read-deadline.ts";
import type { SendParameters } from "./request.ts";
import { createIdempotencyError, send, type SendDeps } from "./send.ts";

/** A send of an app, which asks for no act. */
export interface AppSendInput {
  readonly accountId: string;
  readonly parameters: SendParameters;
  /** The time since the request arrived. */
  readonly elapsedMs: number;
  /** Charges the account for the devices that the send pushes to. */
  readonly charge: DeviceCharge;
}

/**
 * Sends to the devices of an app's account, durably and without waiting for them. The sender is the account's owner.
 * Returns the notification's id, or that of the earlier one that it repeats.
 */
export async function sendByApp(
  deps: SendDeps,
  { accountId, parameters, elapsedMs, charge }: AppSendInput,
): Promise<string> {
  const { draft, extras = null, ttlSeconds, idempotencyKey } = parameters;
  const { notificationId, handedOver } = await send(deps, {
    draft,
    extras,
    ttlSeconds,
    idempotencyKey,
    keyId: null,
    senderId: accountId,
    audience: { kind: "account", accountId },
    isAwaited: false,
    readDeadline: new ReadDeadline(elapsedMs),
    charge,
  });
  if (handedOver.kind === "mismatch") throw createIdempotencyError();
  return notificationId;
}
