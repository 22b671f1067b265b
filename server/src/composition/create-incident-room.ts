import { createConsoleLink } from "#accounts/console-link.ts";
import { findAccount } from "#accounts/store/accounts.ts";
import type { Apps } from "#apps/apps.ts";
import type { CallbackSender } from "#callbacks/callback-sender.ts";
import type { Listeners } from "#concurrency/listeners.ts";
import type { Context } from "#context.ts";
import type { Delivery } from "#delivery/create-delivery.ts";
import { createIncidents, type Incidents } from "#incidents/incidents.ts";
import { createActToken, LINK_LIFE_MS } from "#incidents/links/link-token.ts";
import { recordFailedCallbackQuery } from "#incidents/store/events.ts";
import type { MailQueue } from "#mail/mail.ts";
import type { Publisher } from "#notifications/live/publish.ts";
import type { PurposeSignature } from "#secrets/purpose-signature.ts";
import { getPromptState } from "#prompts/prompt.ts";
import type { TimerWorker } from "#timers/worker.ts";
import { createIncidentMetrics } from "./incident-metrics.ts";
import type { Metrics } from "./metrics.ts";

interface IncidentRoomDeps {
  readonly context: Context;
  readonly delivery: Delivery;
  readonly apps: Pick<Apps, "reviewIncident">;
  readonly timers: TimerWorker;
  readonly metrics: Pick<Metrics, "registry">;
  readonly callbacks: CallbackSender;
  readonly mail: MailQueue;
  readonly baseUrl: string;
  readonly actLinkSignature: PurposeSignature;
  readonly publisher: Pick<Publisher, "publishIncident" | "publishPrompt">;
  /** Calls its listeners with every report about a push of an incident or a prompt. */
  readonly reports: Listeners<Parameters<Publisher["publishDelivery"]>>;
}

/** Returns the incidents of a server. Their changes are published to live streams and other nodes, and counted. */
export function createIncidentRoom({
  context,
  delivery,
  apps,
  timers,
  metrics,
  publisher,
  reports,
  callbacks,
  mail,
  baseUrl,
  actLinkSignature,
}: IncidentRoomDeps): Incidents {
  const { countChange, countRing } = createIncidentMetrics(metrics.registry, context);
  const incidents = createIncidents({
    context,
    delivery,
    timers,
    createActLink(person) {
      const endsAt = context.now() + LINK_LIFE_MS;
      const token = createActToken(actLinkSignature, { ...person, endsAt });
      return createConsoleLink(baseUrl, "a", token);
    },
    incidentsLink: `${baseUrl}/incidents`,
    announce({ hasCallback, hasMail }) {
      if (hasCallback) callbacks.announce();
      if (hasMail) mail.wake();
    },
    findName: async (accountId) => (await findAccount(context, accountId))?.name ?? null,
    onChanged(change) {
      const { incident, audiences } = change;
      const { id, state } = incident;
      countChange(change);
      if (state === "acknowledged" || state === "resolved") apps.reviewIncident(id);
      if (incident.question === null)
        publisher.publishIncident({ incidentId: id, state, audiences });
      else publisher.publishPrompt({ promptId: id, state: getPromptState(incident), audiences });
    },
  });
  for (const prefix of ["incident.", "prompt."]) {
    callbacks.onFailed(prefix, {
      createStatements: (failure) => [recordFailedCallbackQuery(context, failure)],
    });
  }
  reports.add(incidents.review);
  reports.add(countRing);
  return incidents;
}
