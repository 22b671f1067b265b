import { Alert, Text } from "@mantine/core";
import { queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import type { LinkedIncident } from "@tocsin/sdk";
import { useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { VisitorPage } from "../accounts/visitor-page.tsx";
import { client } from "../client.ts";
import { getErrorMessage, hasErrorCode } from "../errors.ts";
import { getLinkToken } from "../link-token.ts";
import { ActionButton } from "../page/action-button.tsx";
import { QueryContent } from "../page/query-states.tsx";
import { TextLink } from "../page/text-link.tsx";
import { Timestamp } from "../page/timestamp.tsx";
import { PATHS } from "../paths.ts";
import { useActorName } from "./incident-texts.tsx";

/**
 * The reasons why a link no longer works: this server has no such incident any more, the link has expired, or the
 * recipient has left the team or is suspended.
 */
type DeadLinkReason = "over" | "expired" | "left";

/** Returns the query for the incident of a link, or for the reason why the link no longer works. */
function createLinkQuery(token: string) {
  return queryOptions({
    queryKey: ["incidents", "link", token],
    enabled: token !== "",
    staleTime: 0,
    queryFn: async ({ signal }): Promise<LinkedIncident | DeadLinkReason> => {
      try {
        return await client.incidents.lookByLink(token, { signal });
      } catch (error) {
        if (hasErrorCode(error, "not_found")) return "over";
        if (hasErrorCode(error, "expired")) return "expired";
        if (hasErrorCode(error, "forbidden")) return "left";
        throw error;
      }
    },
  });
}

/**
 * The page behind the link in an alarm email. Only its button acknowledges, because mail scanners open every link. It
 * needs no session.
 */
export function ActLinkPage() {
  const { t } = useTranslation();
  const token = getLinkToken();
  const query = useQuery(createLinkQuery(token));
  const { data } = query;
  const state = token === "" ? "incomplete" : typeof data === "string" ? data : null;
  if (state !== null)
    return (
      <VisitorPage title={t(`incident.link.${state}`)} alternatives={<IncidentsLink />}>
        <Text size="sm" c="dimmed" data-link-state={state}>
          {t(`incident.link.${state}Text`)}
        </Text>
      </VisitorPage>
    );
  const title = typeof data === "object" ? data.title || t("incident.untitled") : null;
  return (
    <VisitorPage title={title ?? t("incident.link.title")} alternatives={<IncidentsLink />}>
      <QueryContent query={query} rows={1}>
        {(incident): ReactNode =>
          typeof incident === "object" && <LinkedCard token={token} incident={incident} />
        }
      </QueryContent>
    </VisitorPage>
  );
}

function IncidentsLink() {
  const { t } = useTranslation();
  return <TextLink to={PATHS.incidents}>{t("incident.title")}</TextLink>;
}

interface LinkedCardProps {
  readonly token: string;
  readonly incident: LinkedIncident;
}

/** The state of the incident, and a button while nobody has acknowledged it. */
function LinkedCard({ token, incident }: LinkedCardProps) {
  const { t } = useTranslation();
  const nameActor = useActorName();
  const queryClient = useQueryClient();
  const [notice, setNotice] = useState("");
  const [problem, setProblem] = useState("");
  const { state, openedAt, acknowledgement, resolution } = incident;
  const isUnacknowledged = state === "triggered" || state === "expired";
  const acknowledge = async () => {
    setProblem("");
    const result = await client.incidents.acknowledgeByLink(token);
    queryClient.setQueryData(createLinkQuery(token).queryKey, result.incident);
    setNotice(t(result.isChanged ? "incident.link.done" : "incident.unchanged"));
  };
  return (
    <>
      <Text fw={500} data-link-state={state}>
        {t(`incident.headline.${state}`, { name: nameActor(resolution ?? acknowledgement) })}
      </Text>
      <Text size="sm" c="dimmed">
        {t("incident.opened")} <Timestamp at={openedAt} />
      </Text>
      <div role="status">{notice !== "" && <Alert color="green">{notice}</Alert>}</div>
      <div role="alert">{problem !== "" && <Alert color="red">{problem}</Alert>}</div>
      {isUnacknowledged && (
        <>
          <Text size="sm">{t("incident.link.text")}</Text>
          <ActionButton
            size="xl"
            fullWidth
            run={acknowledge}
            onError={(error) => setProblem(getErrorMessage(error))}
          >
            {t("incident.act.acknowledge")}
          </ActionButton>
        </>
      )}
    </>
  );
}
