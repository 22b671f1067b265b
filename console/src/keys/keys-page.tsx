import { Button } from "@mantine/core";
import { IconCode, IconKey, IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Card } from "../page/card.tsx";
import { ButtonLink } from "../page/button-link.tsx";
import { List } from "../page/list.tsx";
import { Page } from "../page/page.tsx";
import { EmptyState, Loaded } from "../page/states.tsx";
import { PATHS } from "../paths.ts";
import { KeyItem } from "./key-item.tsx";
import { keysQuery, madeKeyQuery } from "./key-queries.ts";
import { MadeKey } from "./made-key.tsx";
import { NewKey } from "./new-key.tsx";

/** The account's API keys: make, copy, revoke. */
export function KeysPage() {
  const { t } = useTranslation();
  const [isMaking, setMaking] = useState(false);
  const keys = useQuery(keysQuery);
  const { data: made } = useQuery(madeKeyQuery);
  const make = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setMaking(true)}>
      {t("key.make")}
    </Button>
  );
  const actions = (
    <>
      <ButtonLink
        to={PATHS.builder}
        variant="default"
        leftSection={<IconCode size={16} aria-hidden />}
      >
        {t("builder.open")}
      </ButtonLink>
      {make}
    </>
  );
  return (
    <Page title={t("key.title")} text={t("key.text")} actions={actions}>
      <div role="status">
        {made?.kind === "account" && (
          <Card title={t("first.keyDone")}>
            <MadeKey apiKey={made.key} />
          </Card>
        )}
      </div>
      <Loaded query={keys}>
        {(items) =>
          items.length === 0 ? (
            <Card>
              <EmptyState icon={IconKey} title={t("key.empty")} text={t("key.emptyText")}>
                {make}
              </EmptyState>
            </Card>
          ) : (
            <List label={t("key.list")}>
              {items.map((key) => (
                <KeyItem key={key.id} apiKey={key} />
              ))}
            </List>
          )
        }
      </Loaded>
      <NewKey isOpen={isMaking} onClose={() => setMaking(false)} />
    </Page>
  );
}
