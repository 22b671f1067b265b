import { Stack, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import type { PasswordAgain } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import { client } from "../../client.ts";
import { deviceNameOf } from "../../devices/device-name.ts";
import { Dialog } from "../../page/dialog.tsx";
import { say } from "../../page/toasts.ts";
import { makePasskey } from "../sign-in/passkeys.ts";
import { GuardedForm } from "./guarded-form.tsx";
import { passkeysQuery, refresh } from "./profile-queries.ts";

export interface AddPasskeyProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Makes a passkey in this browser, or on a security key or phone that the browser asks for. */
export function AddPasskey({ isOpen, onClose }: AddPasskeyProps) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const field = {
    name: "name",
    label: t("profile.passkeyName"),
    hint: t("profile.passkeyNameHint"),
    type: "text",
    autoComplete: "off",
    initial: deviceNameOf(navigator.userAgent),
    isFirst: true,
  } as const;
  const add = async (valueOf: (field: string) => string, again: PasswordAgain) => {
    const credential = await makePasskey(await client.passkeys.options(again));
    const { name } = await client.passkeys.create({ name: valueOf("name"), credential });
    await refresh(queryClient, passkeysQuery);
    say(t("profile.passkeyAdded", { name }));
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
