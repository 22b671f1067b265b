import { Alert, List, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { PasswordConfirmation } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import { client } from "../../client.ts";
import { endSubscription } from "../../devices/this-device.ts";
import { FieldError, hasErrorCode } from "../../errors.ts";
import { ButtonLink } from "../../page/button-link.tsx";
import { Dialog } from "../../page/dialog.tsx";
import { QueryContent } from "../../page/query-states.tsx";
import { showToast } from "../../page/toasts.ts";
import { PATHS } from "../../paths.ts";
import { useAccount } from "../account-context.ts";
import { useLocalSignOut } from "../sign-out.ts";
import { PasswordConfirmationForm } from "./password-confirmation-form.tsx";
import { soleOwnerTeamsQuery } from "./profile-queries.ts";

interface DeleteAccountDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** A dialog that deletes the account after its owner has typed the email address. */
export function DeleteAccountDialog({ isOpen, onClose }: DeleteAccountDialogProps) {
  const { t } = useTranslation();
  return (
    <Dialog isOpen={isOpen} title={t("profile.deleteTitle")} onClose={onClose}>
      <DeleteAccountContent />
    </Dialog>
  );
}

function DeleteAccountContent() {
  const soleOwnerTeams = useQuery(soleOwnerTeamsQuery);
  return (
    <QueryContent query={soleOwnerTeams} rows={1}>
      {(teamNames) =>
        teamNames.length === 0 ? <DeletionForm /> : <SoleOwnerTeams teamNames={teamNames} />
      }
    </QueryContent>
  );
}

/** The teams that would have no owner without the account. The server rejects the deletion while there are any. */
function SoleOwnerTeams({ teamNames }: { readonly teamNames: readonly string[] }) {
  const { t } = useTranslation();
  return (
    <Stack>
      <Alert color="yellow" title={t("profile.orphaned")}>
        <List size="sm">
          {teamNames.map((name) => (
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
  const signOutLocally = useLocalSignOut();
  const field = {
    name: "confirmation",
    label: t("profile.deleteConfirm", { email }),
    type: "text",
    autoComplete: "off",
    hasInitialFocus: true,
  } as const;
  const deleteAccount = async (
    getValue: (field: string) => string,
    passwordConfirmation: PasswordConfirmation,
  ) => {
    if (getValue("confirmation").trim().toLowerCase() !== email.toLowerCase()) {
      throw new FieldError("confirmation", t("profile.deleteMistyped"));
    }
    await client.profile.delete(passwordConfirmation).catch((error: unknown) => {
      throw hasErrorCode(error, "last_owner") ? new Error(t("profile.orphanedText")) : error;
    });
    // The account is deleted, even if this browser fails to end its push subscription.
    await endSubscription().catch(() => {});
    await signOutLocally();
    showToast(t("profile.deleted"));
  };
  return (
    <Stack>
      <Text size="sm">{t("profile.deleteConsequences")}</Text>
      <Text size="sm">{t("profile.deleteTeams")}</Text>
      <PasswordConfirmationForm
        fields={[field]}
        submitLabel={t("profile.deleteSubmit")}
        color="red"
        onSubmit={deleteAccount}
      />
    </Stack>
  );
}
