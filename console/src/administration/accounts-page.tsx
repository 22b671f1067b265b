import { Button, Text, TextInput } from "@mantine/core";
import { IconSearch, IconUserPlus, IconUsers } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useDeferredValue, useState } from "react";
import { useTranslation } from "react-i18next";
import { Card } from "../page/card.tsx";
import { List } from "../page/list.tsx";
import { EmptyState, QueryContent } from "../page/query-states.tsx";
import { AccountItem } from "./account-item.tsx";
import { AdministrationFrame } from "./administration-frame.tsx";
import { createAccountsQuery } from "./administration-queries.ts";
import { OpenInvitations } from "./open-invitations.tsx";
import { NearLimits } from "./near-limits.tsx";
import { InvitePersonDialog } from "./invite-person-dialog.tsx";

/** The server's accounts and open invitations, and the accounts near a limit. */
export function AccountsPage() {
  const { t } = useTranslation();
  const [isInviting, setIsInviting] = useState(false);
  const [search, setSearch] = useState("");
  const searchText = useDeferredValue(search.trim());
  const accounts = useQuery({
    ...createAccountsQuery(searchText),
    placeholderData: keepPreviousData,
  });
  const openDialog = () => setIsInviting(true);
  const inviteButton = (
    <Button leftSection={<IconUserPlus size={16} aria-hidden />} onClick={openDialog}>
      {t("admin.invite")}
    </Button>
  );
  return (
    <AdministrationFrame actions={inviteButton}>
      <TextInput
        size="md"
        type="search"
        value={search}
        maxLength={200}
        aria-label={t("admin.searchAccounts")}
        placeholder={t("admin.searchAccounts")}
        leftSection={<IconSearch size={16} aria-hidden />}
        onChange={(event) => setSearch(event.currentTarget.value)}
      />
      <QueryContent query={accounts}>
        {({ items, nextCursor }) =>
          items.length === 0 ? (
            <Card>
              <EmptyState
                icon={IconUsers}
                title={t("admin.noAccounts")}
                text={t("admin.noAccountsText")}
              />
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
      </QueryContent>
      <NearLimits />
      <OpenInvitations />
      <InvitePersonDialog isOpen={isInviting} onClose={() => setIsInviting(false)} />
    </AdministrationFrame>
  );
}
