import { Title } from "@mantine/core";
import { IconMoodSmile } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { Incident } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import { createFeedQuery } from "../notifications/feed/feed-queries.ts";
import { ActionButton } from "../page/action-button.tsx";
import { Card } from "../page/card.tsx";
import { List } from "../page/list.tsx";
import { Page } from "../page/page.tsx";
import { EmptyState, QueryContent } from "../page/query-states.tsx";
import { OpenPrompts } from "../prompts/open-prompts.tsx";
import { openPromptsQuery } from "../prompts/prompt-queries.ts";
import { sortByUrgency } from "./incident-facts.ts";
import { IncidentItem } from "./incident-item.tsx";
import { acknowledgeAll, openIncidentsQuery, resolvedIncidentsQuery } from "./incident-queries.ts";

/**
 * The incidents that the account was notified of: the open ones by urgency, then the resolved ones. Open prompts come
 * first, because an emergency with a prompt rings until somebody answers it.
 */
export function IncidentsPage() {
  const { t } = useTranslation();
  const open = useQuery(openIncidentsQuery);
  const { data: prompts = [] } = useQuery(openPromptsQuery);
  const { data: resolved = [] } = useQuery(resolvedIncidentsQuery);
  return (
    <Page
      title={t("incident.title")}
      text={t("incident.text")}
      actions={<AcknowledgeAllButton incidents={open.data ?? []} />}
    >
      {prompts.length > 0 && <OpenPrompts prompts={prompts} />}
      <QueryContent query={open}>
        {(incidents) =>
          incidents.length > 0 ? (
            <>
              {prompts.length > 0 && (
                <Title order={2} size="h4">
                  {t("incident.openOnes")}
                </Title>
              )}
              <IncidentList label={t("incident.openOnes")} incidents={sortByUrgency(incidents)} />
            </>
          ) : (
            prompts.length === 0 && <NothingOpen />
          )
        }
      </QueryContent>
      {resolved.length > 0 && (
        <>
          <Title order={2} size="h4">
            {t("incident.resolvedOnes")}
          </Title>
          <IncidentList label={t("incident.resolvedOnes")} incidents={resolved} />
        </>
      )}
    </Page>
  );
}

function NothingOpen() {
  const { t } = useTranslation();
  return (
    <Card>
      <EmptyState icon={IconMoodSmile} title={t("incident.empty")} text={t("incident.emptyText")} />
    </Card>
  );
}

interface IncidentListProps {
  readonly label: string;
  readonly incidents: readonly Incident[];
}

function IncidentList({ label, incidents }: IncidentListProps) {
  // The reader's feed may contain another notification of the incident than the latest one.
  const { data: feed } = useQuery(createFeedQuery({}));
  return (
    <List label={label}>
      {incidents.map((incident) => {
        const item = feed?.items.find(({ incidentId }) => incidentId === incident.id);
        return (
          <IncidentItem
            key={incident.id}
            incident={incident}
            notificationId={item?.id ?? incident.notificationId}
          />
        );
      })}
    </List>
  );
}

/** A button that acknowledges all triggered incidents; nothing if there are fewer than two. */
function AcknowledgeAllButton({ incidents }: Pick<IncidentListProps, "incidents">) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const ids = incidents.filter(({ state }) => state === "triggered").map(({ id }) => id);
  if (ids.length < 2) return null;
  return (
    <ActionButton variant="default" run={() => acknowledgeAll(queryClient, ids)}>
      {t("incident.acknowledgeAll", { count: ids.length })}
    </ActionButton>
  );
}
