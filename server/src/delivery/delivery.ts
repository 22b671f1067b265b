import type { NotificationContent } from "@tocsin/sdk";
import type { Audience } from "#devices/audiences/audience.ts";
import type { ProviderName, ReasonCode } from "#providers/provider.ts";
import type { History } from "./history.ts";

/** Who waits: 0 a caller for the answer, 1 nobody, 2 a large audience that must not slow the others. */
export type Lane = 0 | 1 | 2;

/** The lanes in the order in which due work is taken. */
export const LANES: readonly Lane[] = [0, 1, 2];

/** The lane of large audiences. */
export const BULK: Lane = 2;

/** A chunk, and a result page, hold at most this many devices. */
export const CHUNK_MAX = 500;

/** How one device's delivery ended; every accepted target comes to exactly one. */
export type FinalState =
  | "accepted"
  | "gone"
  | "rejected"
  | "expired"
  | "failed"
  | "cancelled"
  | "skipped";

/** Where one device's delivery stands. */
export type DeliveryState = FinalState | "queued" | "retrying" | "held";

/** Why a delivery stands where it does: the providers' reasons, and our own. */
export type DeliveryCode =
  | ReasonCode
  | "accepted"
  | "queued"
  | "expired"
  | "gave_up"
  | "crashed"
  | "cancelled"
  | "paused"
  | "provider_not_configured";

/** What one attempt came to: a provider's reason, or that it ended the process in which it was made. */
export type AttemptCode = ReasonCode | "crashed";

/** The recorded end of one device's delivery. */
export interface DeliveryResult {
  readonly deviceId: string;
  readonly provider: ProviderName;
  readonly state: FinalState;
  readonly code: DeliveryCode;
  /** A short fact for people: a host name, or the problem before it expired; never an address. */
  readonly detail: string | null;
  /** How many requests were made, the last included. */
  readonly attempts: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Every attempt, the last included; absent where there was at most one and it is told above. */
  readonly history?: History;
}

/** A device that is still owed its notification. */
export interface PendingDevice {
  readonly deviceId: string;
  /** Requests that count against the device. */
  readonly attempts: number;
  /** All tries that came to nothing, those that never left us included. */
  readonly tries: number;
  /** Not before this moment, in milliseconds since the epoch. */
  readonly runAt: number;
  /** What the last attempt came to; null before the first. */
  readonly code: AttemptCode | null;
  readonly detail: string | null;
  /** How often an attempt ended the process that was made for it alone. */
  readonly deaths: number;
  /** Null where no service's recovery ends the wait early. */
  readonly waitsFor: Wait | null;
  /** What was tried so far; absent before the first attempt. */
  readonly history?: History;
}

/** A device waits until its service is released. */
export interface Wait {
  /** As `Provider.serviceOf` names it. */
  readonly service: string;
  /** Names the process, and the last release of the service before the wait: another one ends it. */
  readonly epoch: string;
}

/** Returns the id under which an audience's notifications are filed: its account or team. */
export function feedOf(audience: Audience): string {
  return audience.kind === "team" ? audience.teamId : audience.accountId;
}

/** A notification as it is accepted: parsed once at the edge, then trusted. */
export interface NewNotification extends NotificationContent {
  readonly id: string;
  readonly audience: Audience;
  readonly keyId: string | null;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** Null where the audience is too large to be counted before the answer. */
  readonly deviceCount: number | null;
}

/** The right to work on one job until `until`; a result counts only under the same `epoch`. */
export interface Lease {
  readonly jobId: string;
  readonly epoch: number;
  /** Milliseconds since the epoch, by the store's clock. */
  readonly until: number;
}

/** A part of an audience by position: after `after` ("" begins it), up to and with `upTo` ("" ends it). */
export interface DeviceRange {
  readonly after: string;
  readonly upTo: string;
}

/** What a job owes. */
export type Work =
  /** The devices of a list. */
  | { readonly kind: "devices"; readonly pending: readonly PendingDevice[] }
  /** At most 500 devices, read from the audience when the job runs. */
  | { readonly kind: "range"; readonly range: DeviceRange }
  /** A large audience that is still to be cut into ranges. */
  | { readonly kind: "expand"; readonly range: DeviceRange };

/** A job under lease, with everything that is needed to do it. */
export interface LeasedJob {
  readonly lease: Lease;
  readonly lane: Lane;
  readonly notification: NewNotification;
  readonly work: Work;
  /** How often a process died holding it. */
  readonly crashes: number;
}

/**
 * So many processes died holding a job before its attempts are made in another one. Most such jobs were only near
 * when others ended the process, so that the count is no verdict. Nothing sets it back: a job can take a server down
 * so often, and no oftener.
 */
const SOLO_CRASHES = 3;

/** Says whether a job's attempts are made in a process of their own, one device at a time; to expand is to make none. */
export function isSolo({ crashes, work }: Pick<LeasedJob, "crashes" | "work">): boolean {
  return crashes >= SOLO_CRASHES && work.kind !== "expand";
}

/**
 * Says whether nothing was begun of a notification since it was accepted. Chunks of a large audience never count: the job
 * that made them came first.
 */
export function isUntouched({ work }: Pick<LeasedJob, "work">): boolean {
  switch (work.kind) {
    case "devices":
      return work.pending.every(({ code }) => code === null);
    case "range":
      return false;
    case "expand":
      return work.range.after === "";
  }
}

/** Returns a list of devices that nobody has tried yet. */
export function untried(deviceIds: readonly string[], at: number): readonly PendingDevice[] {
  return deviceIds.map((deviceId) => ({
    deviceId,
    attempts: 0,
    tries: 0,
    runAt: at,
    code: null,
    detail: null,
    deaths: 0,
    waitsFor: null,
  }));
}
