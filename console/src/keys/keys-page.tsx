import { Button } from "@mantine/core";
import { IconCode, IconKey, IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Card } from "../page/card.tsx";
import { ButtonLink } from "../page/button-link.tsx";
import { List } from "../page/list.tsx";
import { Page } from "../page/page.tsx";
import { EmptyState, QueryContent } from "../page/query-states.tsx";
import { PATHS } from "../paths.ts";
import { DialectKeyDetails } from "./dialect-key-details.tsx";
import { newDialectKeyQuery } from "./dialect-key-queries.ts";
import { SERVICE_NAMES } from "./dialects.ts";
import { KeyItem } from "./key-item.tsx";
import { keysQuery, newKeyQuery } from "./key-queries.ts";
import { NewKeyDetails } from "./new-key-details.tsx";
import { CreateKeyDialog } from "./create-key-dialog.tsx";

/** The account's API keys, with buttons to create, rotate and revoke them. */
export function KeysPage() {
  const { t } = useTranslation();
  const [isCreating, setIsCreating] = useState(false);
  const keys = useQuery(keysQuery);
  const { data: newKey } = useQuery(newKeyQuery);
  const { data: newDialectKey } = useQuery(newDialectKeyQuery);
  const createButton = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setIsCreating(true)}>
      {t("key.newKey")}
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
      {createButton}
    </>
  );
  return (
    <Page title={t("key.title")} text={t("key.text")} actions={actions}>
      <div role="status">
        {newDialectKey?.kind === "account" && (
          <Card title={t("dialect.created", { name: SERVICE_NAMES[newDialectKey.dialect] })}>
            <DialectKeyDetails newKey={newDialectKey} />
          </Card>
        )}
        {newKey?.kind === "account" && (
          <Card title={t("onboarding.keyDone")}>
            <NewKeyDetails apiKey={newKey.key} />
          </Card>
        )}
      </div>
      <QueryContent query={keys}>
        {(items) =>
          items.length === 0 ? (
            <Card>
              <EmptyState icon={IconKey} title={t("key.empty")} text={t("key.emptyText")}>
                {createButton}
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
      </QueryContent>
      <CreateKeyDialog isOpen={isCreating} onClose={() => setIsCreating(false)} />
    </Page>
  );
}
