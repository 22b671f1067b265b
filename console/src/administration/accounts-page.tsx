import { Button, Text, TextInput } from "@mantine/core";
import { IconSearch, IconUserPlus, IconUsers } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useDeferredValue, useState } from "react";
import { useTranslation } from "react-i18next";
import { Card } from "../page/card.tsx";
import { List } from "../page/list.tsx";
import { EmptyState, Loaded } from "../page/states.tsx";
import { AccountItem } from "./account-item.tsx";
import { AdministrationPage } from "./administration-page.tsx";
import { accountsQuery } from "./administration-queries.ts";
import { Invitations } from "./invitations.tsx";
import { NearLimits } from "./near-limits.tsx";
import { InvitePerson } from "./invite-person.tsx";

/** The accounts of this server, and its open invitations. */
export function AccountsPage() {
  const { t } = useTranslation();
  const [isInviting, setInviting] = useState(false);
  const [typed, setTyped] = useState("");
  const q = useDeferredValue(typed.trim());
  const accounts = useQuery({ ...accountsQuery(q), placeholderData: keepPreviousData });
  const invite = (
    <Button leftSection={<IconUserPlus size={16} aria-hidden />} onClick={() => setInviting(true)}>
      {t("admin.invite")}
    </Button>
  );
  return (
    <AdministrationPage actions={invite}>
      <TextInput
        size="md"
        type="search"
        value={typed}
        maxLength={200}
        aria-label={t("admin.find")}
        placeholder={t("admin.find")}
        leftSection={<IconSearch size={16} aria-hidden />}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      <Loaded query={accounts}>
        {({ items, nextCursor }) =>
          items.length === 0 ? (
            <Card>
              <EmptyState icon={IconUsers} title={t("admin.nobody")} text={t("admin.nobodyText")} />
            </Card>
          ) : (
            <>
              <List label={t("admin.accounts")}>
                {items.map((account) => (
                  <AccountItem key={account.id} account={account} />
                ))}
              </List>
              {nextCursor !== null && (
                <Text size="sm" c="dimmed">
                  {t("admin.more", { count: items.length })}
                </Text>
              )}
            </>
          )
        }
      </Loaded>
      <NearLimits />
      <Invitations />
      <InvitePerson isOpen={isInviting} onClose={() => setInviting(false)} />
    </AdministrationPage>
  );
}
