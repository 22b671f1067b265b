import { Button, Group, List, Stack, Text, TextInput } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { AccountDetail, ListedAccount } from "@tocsin/sdk";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { client } from "../client.ts";
import { ActionButton } from "../page/action-button.tsx";
import { Dialog } from "../page/dialog.tsx";
import { Loaded } from "../page/states.tsx";
import { accountQuery, limitsQuery } from "./administration-queries.ts";

export interface DeleteAccountProps {
  readonly account: ListedAccount;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Asks before an account is deleted: lists what goes with it and has its address typed, as nothing can be restored. */
export function DeleteAccount({ account, isOpen, onClose }: DeleteAccountProps) {
  const { t } = useTranslation();
  return (
    <Dialog
      isOpen={isOpen}
      title={t("admin.removeTitle", { name: account.name })}
      onClose={onClose}
    >
      <Question account={account} onClose={onClose} />
    </Dialog>
  );
}

function Question({ account, onClose }: Omit<DeleteAccountProps, "isOpen">) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const query = useQuery(accountQuery(account.id));
  const [typed, setTyped] = useState("");
  const isSame = typed.trim().toLowerCase() === account.email.toLowerCase();
  const remove = async () => {
    await client.admin.accounts.remove(account.id);
    onClose();
    // The account's own query is left alone: the dialog still shows it while it fades out.
    await queryClient.invalidateQueries({ queryKey: ["admin", "accounts"] });
    await queryClient.invalidateQueries({ queryKey: limitsQuery.queryKey });
  };
  return (
    <Stack>
      <Text size="sm">{t("admin.removeText")}</Text>
      <Loaded query={query}>{(detail) => <Losses detail={detail} />}</Loaded>
      <TextInput
        size="md"
        label={t("admin.removeType", { email: account.email })}
        autoComplete="off"
        value={typed}
        onChange={({ currentTarget }) => setTyped(currentTarget.value)}
      />
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          {t("page.cancel")}
        </Button>
        <ActionButton color="red" run={remove} disabled={!isSame || !query.isSuccess}>
          {t("admin.remove")}
        </ActionButton>
      </Group>
    </Stack>
  );
}

function Losses({ detail }: { readonly detail: AccountDetail }) {
  const { t } = useTranslation();
  const { deviceCount, heldTeams } = detail;
  if (deviceCount === 0 && heldTeams.length === 0) return null;
  return (
    <List size="sm">
      {deviceCount > 0 && <List.Item>{t("admin.loseDevices", { count: deviceCount })}</List.Item>}
      {heldTeams.map(({ id, name, heirName }) => (
        <List.Item key={id}>
          {heirName === null
            ? t("admin.loseTeam", { name })
            : t("admin.passTeam", { name, heir: heirName })}
        </List.Item>
      ))}
    </List>
  );
}
