import type { NotificationContent } from "@tocsin/sdk";
import type { Audience } from "#devices/audiences/audience.ts";
import type { ProviderName, ReasonCode } from "#providers/provider.ts";
import type { History } from "./history.ts";

/** The class of a job: 0 where its caller waits for the result, 1 where none does, 2 for bulk, which must not slow the others. */
export type Lane = 0 | 1 | 2;

/** The lanes in the order in which due work is taken. */
export const LANES: readonly Lane[] = [0, 1, 2];

/** The lane of large audiences: bulk. */
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

/** The result of one attempt: a provider's reason, or that the process ended during it. */
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
  /** All tries that failed, including those that sent no request. */
  readonly tries: number;
  /** Not before this moment, in milliseconds since the epoch. */
  readonly runAt: number;
  /** The result of the last attempt; null before the first. */
  readonly code: AttemptCode | null;
  readonly detail: string | null;
  /** How many of the last attempts, each of them marked, ended their process. */
  readonly deaths: number;
  /** The service whose release ends the wait early; null where there is none. */
  readonly waitsFor: Wait | null;
  /** The attempts so far; absent before the first. */
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

/** The work that a job owes. */
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
  /** The step at which the last process died, where it was marked and nothing was recorded since. */
  readonly suspect: Mark | null;
}

/** A step of a job in quarantine, written to the job's row before it begins. */
export interface Mark {
  /** The device of the attempt; null while the job itself is read or cut into chunks. */
  readonly deviceId: string | null;
  /** How many processes in a row died at marked steps of the job before this one. */
  readonly deaths: number;
}

/**
 * Number of processes that die holding a job before it goes into quarantine. Most such jobs were only near when
 * something else ended the process, so the count is no verdict.
 */
const QUARANTINE_CRASHES = 3;

/** Returns whether a job runs in quarantine: one step at a time, each of them marked in the job's row before it begins. */
export function isQuarantined({ crashes }: Pick<LeasedJob, "crashes">): boolean {
  return crashes >= QUARANTINE_CRASHES;
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

/** Returns a list of devices before their first attempt. */
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

/** Returns the state of a delivery that is still owed. */
export function waitState({ code }: Pick<PendingDevice, "code">): "queued" | "held" | "retrying" {
  if (code === null) return "queued";
  return code === "provider_misconfigured" ? "held" : "retrying";
}
