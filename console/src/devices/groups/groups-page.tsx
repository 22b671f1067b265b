import { Button } from "@mantine/core";
import { IconPlus, IconStack2 } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Card } from "../../page/card.tsx";
import { List } from "../../page/list.tsx";
import { Page } from "../../page/page.tsx";
import { EmptyState, Loaded } from "../../page/states.tsx";
import { devicesQuery } from "../device-queries.ts";
import { EditGroup } from "./edit-group.tsx";
import { GroupItem } from "./group-item.tsx";
import { groupsQuery } from "./group-queries.ts";

/** The account's device groups, each of which gives several devices one name. */
export function GroupsPage() {
  const { t } = useTranslation();
  const [isMaking, setMaking] = useState(false);
  const groups = useQuery(groupsQuery);
  const { data: devices = [] } = useQuery(devicesQuery);
  const make = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setMaking(true)}>
      {t("group.make")}
    </Button>
  );
  return (
    <Page title={t("group.title")} text={t("group.text")} actions={make}>
      <Loaded query={groups}>
        {(items) =>
          items.length === 0 ? (
            <Card>
              <EmptyState icon={IconStack2} title={t("group.empty")} text={t("group.emptyText")}>
                {make}
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
      </Loaded>
      {isMaking && <EditGroup group={null} devices={devices} onClose={() => setMaking(false)} />}
    </Page>
  );
}
