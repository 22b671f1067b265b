import { Button } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { client } from "../../client.ts";
import { Card } from "../../page/card.tsx";
import { ConfirmDialog } from "../../page/confirm-dialog.tsx";
import { List } from "../../page/list.tsx";
import { QueryContent } from "../../page/query-states.tsx";
import { showToast } from "../../page/toasts.ts";
import { toPairedSessionError } from "./to-paired-session-error.ts";
import { refetchQueries, sessionsQuery } from "./profile-queries.ts";
import { SessionItem } from "./session-item.tsx";

/** The account's sessions, with buttons to end each of the others or all of them. */
export function SessionsCard() {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const sessions = useQuery(sessionsQuery);
  const [isConfirming, setIsConfirming] = useState(false);
  const hasOthers = (sessions.data?.length ?? 0) > 1;
  const endOthers = async () => {
    await client.sessions.endOthers().catch((error: unknown) => {
      throw toPairedSessionError(error);
    });
    await refetchQueries(queryClient, sessionsQuery);
    showToast(t("profile.othersEnded"));
  };
  return (
    <Card
      title={t("profile.sessions")}
      actions={
        hasOthers && (
          <Button variant="default" onClick={() => setIsConfirming(true)}>
            {t("profile.endOthers")}
          </Button>
        )
      }
    >
      <QueryContent query={sessions} rows={2}>
        {(items) => (
          <List label={t("profile.sessions")}>
            {items.map((session) => (
              <SessionItem key={session.id} session={session} />
            ))}
          </List>
        )}
      </QueryContent>
      <ConfirmDialog
        isOpen={isConfirming}
        title={t("profile.endOthersTitle")}
        message={t("profile.endOthersText")}
        actionLabel={t("profile.endOthers")}
        onConfirm={endOthers}
        onClose={() => setIsConfirming(false)}
      />
    </Card>
  );
}
