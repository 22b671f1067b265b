import type { ActedIncident, ActMeans } from "@tocsin/sdk";
import type { Actor } from "#audit/event.ts";
import { findAccountNames } from "#accounts/store/names.ts";
import type { Context } from "#context.ts";
import { describeActed } from "./acted.ts";
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
}

/** Performs an act of a person, and returns the incident; null if the person was told of no such incident. */
export async function actAsPerson(
  { context, incidents }: PersonalActDeps,
  { incidentId, kind, via, note, accountId, deviceId, actor }: PersonalAct,
): Promise<ActedIncident | null> {
  const incident = await findReachedIncident(context, incidentId, { accountId, deviceId });
  if (incident === null) return null;
  const cleanNote = cleanText(note);
  const act = { at: context.now(), via, accountId, deviceId, note: cleanNote };
  const result = await incidents.act({ incidentId, kind, act, actor, content: null });
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
