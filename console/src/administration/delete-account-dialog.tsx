import { Button, Group, List, Stack, Text, TextInput } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { AccountDetail, ListedAccount } from "@tocsin/sdk";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { client } from "../client.ts";
import { ActionButton } from "../page/action-button.tsx";
import { Dialog } from "../page/dialog.tsx";
import { QueryContent } from "../page/query-states.tsx";
import { createAccountQuery, limitsQuery } from "./administration-queries.ts";

interface DeleteAccountDialogProps {
  readonly account: ListedAccount;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/**
 * A dialog that deletes an account after the administrator has typed its email address. It shows the number of affected
 * devices and lists the affected teams.
 */
export function DeleteAccountDialog({ account, isOpen, onClose }: DeleteAccountDialogProps) {
  const { t } = useTranslation();
  return (
    <Dialog
      isOpen={isOpen}
      title={t("admin.removeTitle", { name: account.name })}
      onClose={onClose}
    >
      <DeletionForm account={account} onClose={onClose} />
    </Dialog>
  );
}

function DeletionForm({ account, onClose }: Omit<DeleteAccountDialogProps, "isOpen">) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const query = useQuery(createAccountQuery(account.id));
  const [confirmation, setConfirmation] = useState("");
  const isConfirmed = confirmation.trim().toLowerCase() === account.email.toLowerCase();
  const deleteAccount = async () => {
    await client.admin.accounts.remove(account.id);
    onClose();
    // Does not invalidate the account's query: the dialog still shows it during its closing animation.
    await queryClient.invalidateQueries({ queryKey: ["admin", "accounts"] });
    await queryClient.invalidateQueries({ queryKey: limitsQuery.queryKey });
  };
  return (
    <Stack>
      <Text size="sm">{t("admin.removeText")}</Text>
      <QueryContent query={query}>{(detail) => <DeletionEffects detail={detail} />}</QueryContent>
      <TextInput
        size="md"
        label={t("admin.removeType", { email: account.email })}
        autoComplete="off"
        value={confirmation}
        onChange={({ currentTarget }) => setConfirmation(currentTarget.value)}
      />
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          {t("page.cancel")}
        </Button>
        <ActionButton color="red" run={deleteAccount} disabled={!isConfirmed || !query.isSuccess}>
          {t("admin.remove")}
        </ActionButton>
      </Group>
    </Stack>
  );
}

function DeletionEffects({ detail }: { readonly detail: AccountDetail }) {
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
