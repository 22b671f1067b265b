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
 * Sends to the devices of an app's account, durably and without waiting for the results. The sender is the owner of the
 * account. Returns the id of the notification, or of the earlier notification that the send repeats.
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
