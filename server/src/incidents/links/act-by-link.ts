import type { ActedByLink, LinkedIncident } from "@tocsin/sdk";
import type { Actor } from "#audit/event.ts";
import type { Context } from "#context.ts";
import { AppError } from "#errors.ts";
import { findActorName } from "../act-as-person.ts";
import { describeActResult } from "../describe-act-result.ts";
import type { Incident } from "../incident.ts";
import type { Incidents } from "../incidents.ts";
import { findPersonRecipient } from "../policies/store/recipients.ts";
import { listTeamIds } from "../reader.ts";
import { loadReceipt } from "../response.ts";
import { findIncident } from "../store/incidents.ts";
import { openActToken, type LinkSignature } from "./link-token.ts";

/** The dependencies of the acts by a link in an email. */
export interface LinkActDeps {
  readonly context: Context;
  readonly incidents: Pick<Incidents, "act">;
  readonly signature: LinkSignature;
}

interface LinkedPerson {
  readonly incident: Incident;
  readonly accountId: string;
}

/** Returns the incident of a link, and changes nothing. */
export async function previewLink(deps: LinkActDeps, token: string): Promise<LinkedIncident> {
  const { incident } = await openLink(deps, token);
  return toLinkedIncident(deps.context, incident);
}

/** Acknowledges the incident of a link, as the person to whom the link was emailed. */
export async function acknowledgeByLink(
  deps: LinkActDeps,
  {
    token,
    createActor,
  }: { readonly token: string; readonly createActor: (accountId: string) => Actor },
): Promise<ActedByLink> {
  const { context, incidents } = deps;
  const { incident, accountId } = await openLink(deps, token);
  const act = {
    at: context.now(),
    via: "mail",
    accountId,
    deviceId: null,
    note: null,
  } as const;
  const order = { incidentId: incident.id, kind: "acknowledge", act, content: null } as const;
  const result = await incidents.act({ ...order, actor: createActor(accountId) });
  if (result === null) throw createNoSuchIncidentError();
  return {
    isChanged: result.isChanged,
    message: describeActResult("acknowledge", result, await findActorName(context, result)),
    incident: await toLinkedIncident(context, result.incident),
  };
}

/**
 * Returns the incident and the person of a link. Throws `not_found` for a token that this server did not issue and for
 * an incident that was removed, `expired` for an expired link, and `forbidden` for a person who has left the team, or
 * whose account is suspended or deleted.
 */
async function openLink({ context, signature }: LinkActDeps, token: string): Promise<LinkedPerson> {
  const { incidentId, accountId } = openActToken(signature, { token, now: context.now() });
  const incident = await findIncident(context, incidentId);
  // No link acknowledges the incident of a prompt, which waits for an answer.
  if (incident === null || incident.question !== null) throw createNoSuchIncidentError();
  const person = await findPersonRecipient(context, accountId);
  if (person === null || person.isSuspended) throw createNotResponsibleError();
  const { teamId } = incident.owner;
  if (teamId !== null && !(await listTeamIds(context, accountId)).includes(teamId))
    throw createNotResponsibleError();
  return { incident, accountId };
}

async function toLinkedIncident(context: Context, incident: Incident): Promise<LinkedIncident> {
  const receipt = await loadReceipt(context, incident);
  const { title, state, openedAt, occurrences, acknowledgement, resolution } = receipt;
  return { title, state, openedAt, occurrences, acknowledgement, resolution };
}

function createNoSuchIncidentError(): AppError {
  return new AppError("not_found", "The incident of this link no longer exists.");
}

function createNotResponsibleError(): AppError {
  return new AppError("forbidden", "You are no longer one of the people of this incident.");
}
