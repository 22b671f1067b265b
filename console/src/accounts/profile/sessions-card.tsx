import { Button } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { client } from "../../client.ts";
import { Card } from "../../page/card.tsx";
import { Confirm } from "../../page/confirm.tsx";
import { List } from "../../page/list.tsx";
import { Loaded } from "../../page/states.tsx";
import { say } from "../../page/toasts.ts";
import { letInReason } from "./let-in.ts";
import { refresh, sessionsQuery } from "./profile-queries.ts";
import { SessionItem } from "./session-item.tsx";

/** The account's sessions, each with a way to end it. */
export function SessionsCard() {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const sessions = useQuery(sessionsQuery);
  const [isAsked, setAsked] = useState(false);
  const hasOthers = (sessions.data?.length ?? 0) > 1;
  const endOthers = async () => {
    await client.sessions.endOthers().catch((error: unknown) => {
      throw letInReason(error);
    });
    await refresh(queryClient, sessionsQuery);
    say(t("profile.othersEnded"));
  };
  return (
    <Card
      title={t("profile.sessions")}
      actions={
        hasOthers && (
          <Button variant="default" onClick={() => setAsked(true)}>
            {t("profile.endOthers")}
          </Button>
        )
      }
    >
      <Loaded query={sessions} rows={2}>
        {(items) => (
          <List label={t("profile.sessions")}>
            {items.map((session) => (
              <SessionItem key={session.id} session={session} />
            ))}
          </List>
        )}
      </Loaded>
      <Confirm
        isOpen={isAsked}
        title={t("profile.endOthersTitle")}
        text={t("profile.endOthersText")}
        action={t("profile.endOthers")}
        run={endOthers}
        onClose={() => setAsked(false)}
      />
    </Card>
  );
}
