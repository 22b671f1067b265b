import { Stack, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import type { PasswordAgain } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import { client } from "../../client.ts";
import { formatBrowserName } from "../../devices/device-name.ts";
import { Dialog } from "../../page/dialog.tsx";
import { showToast } from "../../page/toasts.ts";
import { createPasskey } from "../sign-in/passkeys.ts";
import { GuardedForm } from "./guarded-form.tsx";
import { passkeysQuery, refresh } from "./profile-queries.ts";

export interface AddPasskeyProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Creates a passkey in this browser, or on a security key or phone that the browser offers. */
export function AddPasskey({ isOpen, onClose }: AddPasskeyProps) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const field = {
    name: "name",
    label: t("profile.passkeyName"),
    hint: t("profile.passkeyNameHint"),
    type: "text",
    autoComplete: "off",
    initial: formatBrowserName(navigator.userAgent),
    isFirst: true,
  } as const;
  const add = async (valueOf: (field: string) => string, passwordAgain: PasswordAgain) => {
    const credential = await createPasskey(await client.passkeys.options(passwordAgain));
    const { name } = await client.passkeys.create({ name: valueOf("name"), credential });
    await refresh(queryClient, passkeysQuery);
    showToast(t("profile.passkeyAdded", { name }));
    onClose();
  };
  return (
    <Dialog isOpen={isOpen} title={t("profile.addPasskey")} onClose={onClose}>
      <Stack>
        <Text size="sm">{t("profile.addPasskeyText")}</Text>
        <GuardedForm fields={[field]} submit={t("profile.addPasskeySubmit")} onSubmit={add} />
      </Stack>
    </Dialog>
  );
}
