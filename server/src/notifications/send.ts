import type { NotificationContent } from "@tocsin/sdk";
import type { Context } from "#context.ts";
import { createMaybeStoredError } from "#delivery/accept/accept-errors.ts";
import type { HandoverResult, Handover } from "#delivery/accept/accept.ts";
import type { Delivery } from "#delivery/create-delivery.ts";
import type { AcceptRequest, IdempotencyRecord } from "#delivery/store/delivery-store.ts";
import {
  BULK_LANE,
  CHUNK_MAX,
  createDeviceWork,
  type NewNotification,
  type Work,
} from "#delivery/delivery.ts";
import type { Audience } from "#devices/audiences/audience.ts";
import { listAudienceDevices } from "#devices/audiences/store/audience-devices.ts";
import type { Target } from "#devices/device.ts";
import { AppError } from "#errors.ts";
import { hashContent, sha256 } from "./content-hash.ts";
import { FREE_DEVICES_MAX, type DeviceCharge } from "./charge.ts";
import { createFeedEntryRow } from "./feed/store.ts";
import { readBeforeCommit, type ReadDeadline } from "./read-deadline.ts";

/** The dependencies of a send. */
export interface SendDeps {
  readonly context: Context;
  readonly delivery: Delivery;
}

/** A notification to send, with its sender and audience. */
export interface SendInput {
  /** The notification's id, if the sender must know it beforehand; never the id of a sent notification. */
  readonly id?: string;
  /** The API key that sends; null if a person sends. */
  readonly keyId: string | null;
  /** The owner of the idempotency key: the id of the first API key in the rotation chain, or of the account. */
  readonly senderId: string;
  readonly audience: Audience;
  readonly draft: NotificationContent;
  /** JSON of the parts that only apps of other services can show; none by default. */
  readonly extras?: string | null;
  readonly ttlSeconds: number;
  /** At most 255 characters; null if the request has none. */
  readonly idempotencyKey: string | null;
  /** The hash that repetitions share; by default, the hash of the content. A request with further fields hashes them, too. */
  readonly requestHash?: string;
  /** True if a caller or a person waits for the results. */
  readonly isAwaited: boolean;
  readonly readDeadline: ReadDeadline;
  /** Called before a notification for many devices is stored; may throw. */
  readonly charge: DeviceCharge;
}

/** Returns the error for an idempotency key that was used for other content. */
export function createIdempotencyError(): AppError {
  const message = "This Idempotency-Key was used for other content. Use a new key.";
  return new AppError("idempotency_mismatch", message, { field: "Idempotency-Key" });
}

/** A notification that was accepted, or the earlier one that it repeats. */
export interface SentNotification {
  readonly notificationId: string;
  readonly handedOver: HandoverResult;
  /** The audience's devices in a stable order; null if there are more than 500, or if they are unknown. */
  readonly targets: readonly Target[] | null;
}

/**
 * Stores a notification durably with its work, and starts to send it. Throws `unavailable` unless the notification is
 * surely stored.
 */
export async function send(deps: SendDeps, input: SendInput): Promise<SentNotification> {
  const sent = await sendInOneCommit(deps, input);
  if (sent !== null) return sent;
  const targets = await readTargets(deps, input);
  const notification = createNotification(deps.context, input, targets);
  const work = createWork(targets);
  return { ...(await handOver(deps, input, { notification, work, targets })), targets };
}

/**
 * Sends to an audience whose devices the commit reads itself. If there are so many that they cost further requests,
 * stores nothing and returns null.
 */
async function sendInOneCommit(deps: SendDeps, input: SendInput): Promise<SentNotification | null> {
  const { context } = deps;
  const notification = createNotification(context, input, null);
  const work = { kind: "audience", max: FREE_DEVICES_MAX } as const;
  const sent = await handOver(deps, input, { notification, work, targets: null });
  const { handedOver } = sent;
  if (handedOver.kind === "too_many") return null;
  if (handedOver.kind === "mismatch") return { ...sent, targets: null };
  return { ...sent, targets: handedOver.targets ?? (await rereadTargets(context, input.audience)) };
}

/** Returns the devices of a notification whose commit was in doubt, so that its result does not name them. */
async function rereadTargets(context: Context, audience: Audience): Promise<readonly Target[]> {
  try {
    return await listAudienceDevices(context, audience, { limit: FREE_DEVICES_MAX });
  } catch (error) {
    throw context.database.engine.isUnavailable(error) ? createMaybeStoredError(error) : error;
  }
}

/** Reads the devices and charges them. Returns null if there are more than one response may list. */
async function readTargets(
  { context }: SendDeps,
  { audience, readDeadline, charge }: SendInput,
): Promise<readonly Target[] | null> {
  const devicesRead = listAudienceDevices(context, audience, { limit: CHUNK_MAX + 1 });
  const devices = await readDeadline.enforce(readBeforeCommit(context, devicesRead));
  charge(devices.length);
  return devices.length > CHUNK_MAX ? null : devices;
}

type PreparedHandover = Pick<AcceptRequest, "notification" | "work"> & Pick<Handover, "targets">;

async function handOver(
  { delivery }: SendDeps,
  input: SendInput,
  { notification, work, targets }: PreparedHandover,
): Promise<Omit<SentNotification, "targets">> {
  const handedOver = await delivery.accept({
    targets,
    requestedAt: input.readDeadline.requestedAt,
    extraRows: [createFeedEntryRow(notification)],
    request: {
      notification,
      // Lane 0 comes before lane 1.
      lane: work?.kind === "expand" ? BULK_LANE : input.isAwaited ? 0 : 1,
      work,
      idempotency: createIdempotency(input),
    },
  });
  const isRepeated = handedOver.kind === "replayed";
  const notificationId = isRepeated ? handedOver.notificationId : notification.id;
  return { notificationId, handedOver };
}

/** Returns the work of a notification; null if nothing is to be delivered. */
function createWork(targets: readonly Target[] | null): Work | null {
  if (targets === null) return { kind: "expand", range: { after: "", upTo: "" } };
  return createDeviceWork(targets.map(({ deviceId }) => deviceId));
}

function createNotification(
  { newId, now }: Context,
  { id, audience, draft, extras = null, keyId, ttlSeconds }: SendInput,
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
    interaction: null,
    extras,
  };
}

function createIdempotency(input: SendInput): IdempotencyRecord | null {
  const { senderId, keyId, idempotencyKey, requestHash } = input;
  if (idempotencyKey === null) return null;
  return {
    keyId: senderId,
    ...(keyId === null || keyId === senderId ? {} : { laterKeyId: keyId }),
    keyHash: sha256(idempotencyKey),
    contentHash: requestHash ?? hashContent(input),
  };
}
