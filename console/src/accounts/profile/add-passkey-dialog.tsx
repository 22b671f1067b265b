import { Stack, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import type { PasswordConfirmation } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import { client } from "../../client.ts";
import { formatBrowserName } from "../../devices/device-name.ts";
import { Dialog } from "../../page/dialog.tsx";
import { showToast } from "../../page/toasts.ts";
import { createPasskey } from "../sign-in/passkeys.ts";
import { PasswordConfirmationForm } from "./password-confirmation-form.tsx";
import { passkeysQuery, refetchQueries } from "./profile-queries.ts";

interface AddPasskeyDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** A dialog that creates a passkey in this browser, or on a security key or phone that the browser offers. */
export function AddPasskeyDialog({ isOpen, onClose }: AddPasskeyDialogProps) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const field = {
    name: "name",
    label: t("profile.passkeyName"),
    hint: t("profile.passkeyNameHint"),
    type: "text",
    autoComplete: "off",
    initialValue: formatBrowserName(navigator.userAgent),
    hasInitialFocus: true,
  } as const;
  const addPasskey = async (
    getValue: (field: string) => string,
    passwordConfirmation: PasswordConfirmation,
  ) => {
    const credential = await createPasskey(await client.passkeys.options(passwordConfirmation));
    const { name } = await client.passkeys.create({ name: getValue("name"), credential });
    await refetchQueries(queryClient, passkeysQuery);
    showToast(t("profile.passkeyAdded", { name }));
    onClose();
  };
  return (
    <Dialog isOpen={isOpen} title={t("profile.addPasskey")} onClose={onClose}>
      <Stack>
        <Text size="sm">{t("profile.addPasskeyText")}</Text>
        <PasswordConfirmationForm
          fields={[field]}
          submitLabel={t("profile.addPasskeySubmit")}
          onSubmit={addPasskey}
        />
      </Stack>
    </Dialog>
  );
}
