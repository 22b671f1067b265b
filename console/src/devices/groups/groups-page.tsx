import { Button } from "@mantine/core";
import { IconPlus, IconStack2 } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Card } from "../../page/card.tsx";
import { List } from "../../page/list.tsx";
import { Page } from "../../page/page.tsx";
import { EmptyState, QueryContent } from "../../page/query-states.tsx";
import { devicesQuery } from "../device-queries.ts";
import { EditGroupDialog } from "./edit-group-dialog.tsx";
import { GroupItem } from "./group-item.tsx";
import { groupsQuery } from "./group-queries.ts";

/** The account's device groups. A notification to a group goes to all of its devices. */
export function GroupsPage() {
  const { t } = useTranslation();
  const [isCreating, setIsCreating] = useState(false);
  const groups = useQuery(groupsQuery);
  const { data: devices = [] } = useQuery(devicesQuery);
  const createButton = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setIsCreating(true)}>
      {t("group.newGroup")}
    </Button>
  );
  return (
    <Page title={t("group.title")} text={t("group.text")} actions={createButton}>
      <QueryContent query={groups}>
        {(items) =>
          items.length === 0 ? (
            <Card>
              <EmptyState icon={IconStack2} title={t("group.empty")} text={t("group.emptyText")}>
                {createButton}
              </EmptyState>
            </Card>
          ) : (
            <List label={t("group.list")}>
              {items.map((group) => (
                <GroupItem key={group.id} group={group} devices={devices} />
              ))}
            </List>
          )
        }
      </QueryContent>
      {isCreating && (
        <EditGroupDialog group={null} devices={devices} onClose={() => setIsCreating(false)} />
      )}
    </Page>
  );
}
