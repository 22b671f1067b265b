import { Button, Modal } from "@mantine/core";
import { IconKey, IconPlus } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Card } from "../page/card.tsx";
import { Form } from "../page/form.tsx";
import { List } from "../page/list.tsx";
import { Page } from "../page/page.tsx";
import { EmptyState, Loaded } from "../page/states.tsx";
import { KeyItem } from "./key-item.tsx";
import { keysQuery, madeKeyQuery, makeKey } from "./key-queries.ts";
import { MadeKey } from "./made-key.tsx";

/** The API keys of the account: make, copy, revoke. */
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
  return (
    <Page title={t("key.title")} text={t("key.text")} actions={make}>
      <div role="status">
        {made !== null && made !== undefined && (
          <Card title={t("first.keyDone")}>
            <MadeKey apiKey={made.key} />
          </Card>
        )}
      </div>
      <Loaded query={keys}>
        {(items) =>
          items.length === 0 ? (
            <Card>
              <EmptyState icon={IconKey} title={t("key.empty")} text={t("key.emptyText")} />
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

function NewKey({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const label = {
    name: "label",
    label: t("key.label"),
    hint: t("key.labelHint"),
    type: "text",
    autoComplete: "off",
    isOptional: true,
  } as const;
  const make = async (valueOf: (name: string) => string) => {
    await makeKey(queryClient, valueOf("label").trim());
    onClose();
  };
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={t("key.make")}
      closeButtonProps={{ "aria-label": t("shell.close") }}
    >
      <Form fields={[label]} submit={t("key.create")} onSubmit={make} />
    </Modal>
  );
}
