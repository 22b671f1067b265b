import { Alert, List, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { PasswordAgain } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import { client } from "../../client.ts";
import { unsubscribeBrowser } from "../../devices/this-device.ts";
import { FieldError, isRefusedAs } from "../../errors.ts";
import { ButtonLink } from "../../page/button-link.tsx";
import { Dialog } from "../../page/dialog.tsx";
import { QueryContent } from "../../page/states.tsx";
import { showToast } from "../../page/toasts.ts";
import { PATHS } from "../../paths.ts";
import { useAccount } from "../account-context.ts";
import { useLeave } from "../sign-out.ts";
import { GuardedForm } from "./guarded-form.tsx";
import { orphanedTeamsQuery } from "./profile-queries.ts";

export interface DeleteAccountProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Deletes the account after its owner has typed its e-mail address. */
export function DeleteAccount({ isOpen, onClose }: DeleteAccountProps) {
  const { t } = useTranslation();
  return (
    <Dialog isOpen={isOpen} title={t("profile.deleteTitle")} onClose={onClose}>
      <Content />
    </Dialog>
  );
}

function Content() {
  const teams = useQuery(orphanedTeamsQuery);
  return (
    <QueryContent query={teams} rows={1}>
      {(names) => (names.length === 0 ? <DeletionForm /> : <OrphanedTeams names={names} />)}
    </QueryContent>
  );
}

/** Lists the teams that would have no owner without the account. The server rejects the deletion until this changes. */
function OrphanedTeams({ names }: { readonly names: readonly string[] }) {
  const { t } = useTranslation();
  return (
    <Stack>
      <Alert color="yellow" title={t("profile.orphaned")}>
        <List size="sm">
          {names.map((name) => (
            <List.Item key={name}>{name}</List.Item>
          ))}
        </List>
      </Alert>
      <Text size="sm">{t("profile.orphanedText")}</Text>
      <ButtonLink to={PATHS.teams}>{t("profile.toTeams")}</ButtonLink>
    </Stack>
  );
}

function DeletionForm() {
  const { t } = useTranslation();
  const { email } = useAccount();
  const leave = useLeave();
  const field = {
    name: "confirmation",
    label: t("profile.deleteConfirm", { email }),
    type: "text",
    autoComplete: "off",
    isFirst: true,
  } as const;
  const deleteAccount = async (
    valueOf: (field: string) => string,
    passwordAgain: PasswordAgain,
  ) => {
    if (valueOf("confirmation").trim().toLowerCase() !== email.toLowerCase()) {
      throw new FieldError("confirmation", t("profile.deleteMistyped"));
    }
    await client.profile.delete(passwordAgain).catch((error: unknown) => {
      throw isRefusedAs(error, "last_owner") ? new Error(t("profile.orphanedText")) : error;
    });
    // The account is deleted, even if this browser fails to end its push subscription.
    await unsubscribeBrowser().catch(() => {});
    await leave();
    showToast(t("profile.deleted"));
  };
  return (
    <Stack>
      <Text size="sm">{t("profile.deleteWhat")}</Text>
      <Text size="sm">{t("profile.deleteTeams")}</Text>
      <GuardedForm
        fields={[field]}
        submit={t("profile.deleteSubmit")}
        color="red"
        onSubmit={deleteAccount}
      />
    </Stack>
  );
}
