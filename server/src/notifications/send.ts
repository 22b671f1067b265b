import type { NotificationContent } from "@tocsin/sdk";
import type { Context } from "#context.ts";
import type { HandedOver } from "#delivery/accept/accept.ts";
import type { Delivery } from "#delivery/create-delivery.ts";
import type { Idempotency } from "#delivery/store/delivery-store.ts";
import { CHUNK_MAX, untried, type NewNotification } from "#delivery/delivery.ts";
import type { Audience } from "#devices/audiences/audience.ts";
import { audienceDevices } from "#devices/audiences/store.ts";
import type { Target } from "#devices/device.ts";
import { contentHashOf, sha256 } from "./content-hash.ts";
import { feedEntry } from "./feed/store.ts";
import { readBefore, type ReadDeadline } from "./read-deadline.ts";

export interface SendDeps {
  readonly context: Context;
  readonly delivery: Delivery;
}

export interface SendInput {
  /** The notification's id, if the sender must know it beforehand; never the id of a sent notification. */
  readonly id?: string;
  /** The API key that sends; null if a person sends. */
  readonly keyId: string | null;
  /** The owner of the idempotency key: the id of the first API key in the rotation chain, or of the account. */
  readonly senderId: string;
  readonly audience: Audience;
  readonly draft: NotificationContent;
  readonly ttlSeconds: number;
  /** At most 255 characters; null if the request has none. */
  readonly idempotencyKey: string | null;
  /** True if a caller waits for the results. */
  readonly isAwaited: boolean;
  readonly readDeadline: ReadDeadline;
  /** Called with the number of devices before anything is stored; may throw. */
  readonly onAudience: (deviceCount: number) => void;
}

/** A notification that was accepted, or the earlier one that it repeats. */
export interface Sent {
  readonly notificationId: string;
  readonly handedOver: HandedOver;
  /** The audience's devices in a stable order; null if there are more than 500. */
  readonly targets: readonly Target[] | null;
}

/** Stores a notification durably with its work, and starts to send it. */
export async function send({ context, delivery }: SendDeps, input: SendInput): Promise<Sent> {
  const { audience } = input;
  const reading = audienceDevices(context, audience, { limit: CHUNK_MAX + 1 });
  const devices = await input.readDeadline.with(readBefore(context, reading));
  const targets = devices.length > CHUNK_MAX ? null : devices;
  input.onAudience(devices.length);
  const notification = compose(context, input, targets);
  const handedOver = await delivery.accept({
    targets,
    askedAt: input.readDeadline.since,
    alongside: [feedEntry(notification)],
    request: {
      notification,
      lane: targets === null ? 2 : input.isAwaited ? 0 : 1,
      work:
        targets === null
          ? { kind: "expand", range: { after: "", upTo: "" } }
          : {
              kind: "devices",
              pending: untried(
                targets.map(({ deviceId }) => deviceId),
                0,
              ),
            },
      idempotency: idempotencyOf(input),
    },
  });
  const replayed = handedOver.kind === "replayed" ? handedOver.notificationId : null;
  return { notificationId: replayed ?? notification.id, handedOver, targets };
}

function compose(
  { newId, now }: Context,
  { id, audience, draft, keyId, ttlSeconds }: SendInput,
  targets: readonly Target[] | null,
): NewNotification {
  const createdAt = now();
  return {
    id: id ?? newId(),
    audience,
    keyId,
    ...draft,
    createdAt,
    expiresAt: createdAt + ttlSeconds * 1_000,
    deviceCount: targets?.length ?? null,
  };
}

function idempotencyOf(input: SendInput): Idempotency | null {
  const { senderId, keyId, idempotencyKey, audience, draft, ttlSeconds } = input;
  if (idempotencyKey === null) return null;
  return {
    keyId: senderId,
    ...(keyId === null || keyId === senderId ? {} : { laterKeyId: keyId }),
    keyHash: sha256(idempotencyKey),
    contentHash: contentHashOf({ audience, draft, ttlSeconds }),
  };
}
