import { Button } from "@mantine/core";
import { IconPlus, IconStairsUp } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Card } from "../../page/card.tsx";
import { List } from "../../page/list.tsx";
import { Page } from "../../page/page.tsx";
import { EmptyState, QueryContent } from "../../page/query-states.tsx";
import { EditPolicyDialog } from "./edit-policy-dialog.tsx";
import { PolicyItem } from "./policy-item.tsx";
import { policiesQuery } from "./policy-queries.ts";

/** The escalation policies of the account and of the teams that it manages. */
export function PoliciesPage() {
  const { t } = useTranslation();
  const [isCreating, setIsCreating] = useState(false);
  const policies = useQuery(policiesQuery);
  const createButton = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setIsCreating(true)}>
      {t("policy.newPolicy")}
    </Button>
  );
  return (
    <Page title={t("policy.title")} text={t("policy.text")} actions={createButton}>
      <QueryContent query={policies}>
        {(items) =>
          items.length === 0 ? (
            <Card>
              <EmptyState
                icon={IconStairsUp}
                title={t("policy.empty")}
                text={t("policy.emptyText")}
              >
                {createButton}
              </EmptyState>
            </Card>
          ) : (
            <List label={t("policy.list")}>
              {items.map((policy) => (
                <PolicyItem key={policy.id} policy={policy} />
              ))}
            </List>
          )
        }
      </QueryContent>
      {isCreating && <EditPolicyDialog policy={null} onClose={() => setIsCreating(false)} />}
    </Page>
  );
}
