import type { Selectable } from "kysely";
import type { Schema } from "#database/schema.ts";
import type { Audience } from "#devices/audiences/audience.ts";
import type { ActMeans } from "@tocsin/sdk";
import type { Act, Incident, Question } from "../incident.ts";
import type { PolicySnapshot } from "../policies/snapshot.ts";

/** The columns of an incident except the id of the change that writes them. */
export type IncidentColumns = Omit<Selectable<Schema["incident"]>, "change_id">;

type AudienceRow = Pick<
  IncidentColumns,
  "audience_kind" | "audience_id" | "group_id" | "device_id"
>;

/** Returns the columns of an incident. */
export function toIncidentColumns(incident: Incident): IncidentColumns {
  const { source, owner, acknowledgement, closing } = incident;
  return {
    id: incident.id,
    source_kind: source.kind,
    source_id: source.id,
    owner_account_id: owner.accountId,
    owner_team_id: owner.teamId,
    key_hash: incident.keyHash,
    incident_key: incident.incidentKey,
    ...toAudienceColumns(incident.audience),
    ...toTextColumns(incident),
    ...toRingColumns(incident),
    state: incident.state,
    opened_at: incident.openedAt,
    last_trigger_at: incident.lastTriggerAt,
    occurrences: incident.occurrences,
    auto_resolve_after_ms: incident.autoResolveAfterMs,
    acknowledged_at: acknowledgement?.at ?? null,
    acknowledged_via: acknowledgement?.via ?? null,
    acknowledged_by: acknowledgement?.accountId ?? null,
    acknowledged_on: acknowledgement?.deviceId ?? null,
    closed_at: closing?.at ?? null,
    closed_via: closing?.via ?? null,
    closed_by: closing?.accountId ?? null,
    closed_on: closing?.deviceId ?? null,
    callback_url: incident.callbackUrl,
    question: incident.question === null ? null : JSON.stringify(incident.question),
    version: incident.version,
  };
}

function toTextColumns(incident: Incident) {
  return {
    priority: incident.priority,
    channel: incident.channel,
    title: incident.title,
    content_hash: incident.contentHash,
    notification_id: incident.notificationId,
    told_at: incident.toldAt,
  };
}

function toRingColumns({ policy, ...incident }: Incident) {
  return {
    rings_since: incident.ringsSince,
    expires_at: incident.expiresAt,
    step: incident.step,
    round: incident.round,
    repeat_every_ms: incident.repeatEveryMs,
    expire_after_ms: incident.expireAfterMs,
    policy: policy === null ? null : JSON.stringify(policy),
  };
}

/** Returns the columns that name an audience. */
export function toAudienceColumns(audience: Audience): AudienceRow {
  return {
    audience_kind: audience.kind === "team" ? "team" : "account",
    audience_id: audience.kind === "team" ? audience.teamId : audience.accountId,
    group_id: audience.kind === "group" ? audience.groupId : null,
    device_id: audience.kind === "device" ? audience.deviceId : null,
  };
}

/** Returns the audience that columns name. */
export function toAudience(row: AudienceRow): Audience {
  const id = row.audience_id;
  if (row.audience_kind === "team") return { kind: "team", teamId: id };
  if (row.group_id !== null) return { kind: "group", accountId: id, groupId: row.group_id };
  if (row.device_id !== null) return { kind: "device", accountId: id, deviceId: row.device_id };
  return { kind: "account", accountId: id };
}

/** Returns the incident of a row. */
export function toIncident(row: IncidentColumns): Incident {
  return {
    id: row.id,
    source: { kind: row.source_kind, id: row.source_id },
    owner: { accountId: row.owner_account_id, teamId: row.owner_team_id },
    keyHash: row.key_hash,
    incidentKey: row.incident_key,
    audience: toAudience(row),
    state: row.state,
    priority: row.priority,
    channel: row.channel,
    title: row.title,
    contentHash: row.content_hash,
    notificationId: row.notification_id,
    openedAt: row.opened_at,
    lastTriggerAt: row.last_trigger_at,
    occurrences: row.occurrences,
    toldAt: row.told_at,
    ringsSince: row.rings_since,
    expiresAt: row.expires_at,
    step: row.step,
    round: row.round,
    repeatEveryMs: row.repeat_every_ms,
    expireAfterMs: row.expire_after_ms,
    // Only `toRingColumns` writes the column.
    policy: row.policy === null ? null : (JSON.parse(row.policy) as PolicySnapshot),
    autoResolveAfterMs: row.auto_resolve_after_ms,
    acknowledgement: toAct(row.acknowledged_at, {
      via: row.acknowledged_via,
      accountId: row.acknowledged_by,
      deviceId: row.acknowledged_on,
    }),
    closing: toAct(row.closed_at, {
      via: row.closed_via,
      accountId: row.closed_by,
      deviceId: row.closed_on,
    }),
    callbackUrl: row.callback_url,
    // Only `toIncidentColumns` writes the column.
    question: row.question === null ? null : (JSON.parse(row.question) as Question),
    version: row.version,
  };
}

function toAct(
  at: number | null,
  { via, ...author }: Pick<Act, "accountId" | "deviceId"> & { readonly via: string | null },
): Act | null {
  // Only `toIncidentColumns` writes the columns, together.
  return at === null ? null : { at, via: via as ActMeans, note: null, ...author };
}
