import type { ActedIncident, ActMeans } from "@tocsin/sdk";
import type { Actor } from "#audit/event.ts";
import { findAccountNames } from "#accounts/store/names.ts";
import type { Context } from "#context.ts";
import { describeActResult } from "./describe-act-result.ts";
import { createDeviceCharge } from "#notifications/charge.ts";
import type { ActKind, IncidentActResult } from "./act.ts";
import type { Incidents } from "./incidents.ts";
import { findReachedIncident, type IncidentReader } from "./reader.ts";
import { loadIncident } from "./response.ts";

/** Maximum number of incidents that one request acknowledges. */
export const ACKNOWLEDGED_INCIDENTS_MAX = 100;
/** Maximum length of a note, in characters. */
export const NOTE_LENGTH_MAX = 500;

/** An act of a person on an incident. */
export interface PersonalAct extends IncidentReader {
  readonly incidentId: string;
  readonly kind: ActKind;
  readonly via: ActMeans;
  readonly note: string | null;
  readonly actor: Actor;
}

/** The dependencies of acts of people. */
export interface PersonalActDeps {
  readonly context: Context;
  readonly incidents: Incidents;
  /** Charges requests to an account; throws `rate_limited`. */
  readonly rateLimit: { take(accountId: string, cost: number): void };
}

/** Returns whether an act makes devices ring. Such acts are rate-limited. */
export function isRingingAct(kind: ActKind): boolean {
  return kind === "ring_again" || kind === "escalate";
}

/**
 * Performs a person's act, and returns the incident after the act; null if the person was told of no such incident, or
 * no longer belongs to an audience that was told. Throws `rate_limited` if the act would ring more devices than the
 * person may ring at the moment.
 */
export async function actAsPerson(
  { context, incidents, rateLimit }: PersonalActDeps,
  { incidentId, kind, via, note, accountId, deviceId, actor }: PersonalAct,
): Promise<ActedIncident | null> {
  const incident = await findReachedIncident(context, incidentId, { accountId, deviceId });
  if (incident === null) return null;
  const act = { at: context.now(), via, accountId, deviceId, note: normalizeNote(note) };
  const order = { incidentId, kind, act, actor, content: null };
  // An acknowledgement must never fail because many devices learn of it; an act that rings devices may.
  const charge = isRingingAct(kind)
    ? createDeviceCharge((requestCount) => rateLimit.take(accountId, requestCount))
    : undefined;
  const result = await incidents.act(order, charge === undefined ? {} : { charge });
  if (result === null) return null;
  return {
    isChanged: result.isChanged,
    message: describeActResult(kind, result, await findActorName(context, result)),
    incident: await loadIncident(context, result.incident),
  };
}

/**
 * Returns the name of the person who acted on an incident last; null if no person did, or if the account was deleted.
 */
export async function findActorName(
  context: Context,
  { incident: { closing, acknowledgement } }: IncidentActResult,
): Promise<string | null> {
  const accountId = (closing ?? acknowledgement)?.accountId ?? null;
  if (accountId === null) return null;
  return (await findAccountNames(context, [accountId])).get(accountId) ?? null;
}

function normalizeNote(note: string | null): string | null {
  const clean = (note ?? "")
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, " ")
    .trim();
  return clean === "" ? null : clean;
}
