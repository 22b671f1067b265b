import type { ActedIncident, ActMeans } from "@tocsin/sdk";
import type { Actor } from "#audit/event.ts";
import { findAccountNames } from "#accounts/store/names.ts";
import type { Context } from "#context.ts";
import { describeActed } from "./acted.ts";
import { createDeviceCharge } from "#notifications/charge.ts";
import type { ActKind, IncidentActResult } from "./act.ts";
import type { Incidents } from "./incidents.ts";
import { findReachedIncident, type IncidentReader } from "./reader.ts";
import { loadIncident } from "./response.ts";

/** Maximum number of incidents that one request acknowledges. */
export const ACT_MANY_MAX = 100;
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
  /** Counts requests of an account; throws `rate_limited`. */
  readonly rateLimit: { take(accountId: string, cost: number): void };
}

/** Returns whether an act makes devices ring, which a rate limits. */
export function isRingingAct(kind: ActKind): boolean {
  return kind === "ring_again" || kind === "escalate";
}

/**
 * Performs an act of a person, and returns the incident; null if the person was told of no such incident. Throws
 * `rate_limited` if it would ring more devices than the person may ring at the moment.
 */
export async function actAsPerson(
  { context, incidents, rateLimit }: PersonalActDeps,
  { incidentId, kind, via, note, accountId, deviceId, actor }: PersonalAct,
): Promise<ActedIncident | null> {
  const incident = await findReachedIncident(context, incidentId, { accountId, deviceId });
  if (incident === null) return null;
  const cleanNote = cleanText(note);
  const act = { at: context.now(), via, accountId, deviceId, note: cleanNote };
  const order = { incidentId, kind, act, actor, content: null };
  // Taking an incident must never fail because many devices learn of it; ringing it may.
  const charge = isRingingAct(kind)
    ? createDeviceCharge((requestCount) => rateLimit.take(accountId, requestCount))
    : undefined;
  const result = await incidents.act(order, charge === undefined ? {} : { charge });
  if (result === null) return null;
  return {
    isChanged: result.isChanged,
    message: describeActed(kind, result, await findActorName(context, result)),
    incident: await loadIncident(context, result.incident),
  };
}

/** Returns the name of the person who acted on an incident last; null if it was no person. */
export async function findActorName(
  context: Context,
  { incident: { closing, acknowledgement } }: IncidentActResult,
): Promise<string | null> {
  const accountId = (closing ?? acknowledgement)?.accountId ?? null;
  if (accountId === null) return null;
  return (await findAccountNames(context, [accountId])).get(accountId) ?? null;
}

function cleanText(text: string | null): string | null {
  const clean = (text ?? "")
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, " ")
    .trim();
  return clean === "" ? null : clean;
}
