import { Button, Stack, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import type { PasswordConfirmation } from "@tocsin/sdk";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { client } from "../../client.ts";
import { CopyableText } from "../../page/copyable-text.tsx";
import { Dialog } from "../../page/dialog.tsx";
import { PasswordConfirmationForm } from "./password-confirmation-form.tsx";
import { accessTokensQuery, refetchQueries } from "./profile-queries.ts";

interface NewTokenDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** A dialog that creates an access token and shows it once. */
export function NewTokenDialog({ isOpen, onClose }: NewTokenDialogProps) {
  const { t } = useTranslation();
  return (
    <Dialog isOpen={isOpen} isPersistent title={t("profile.newToken")} onClose={onClose}>
      <NewTokenSteps onClose={onClose} />
    </Dialog>
  );
}

function NewTokenSteps({ onClose }: Pick<NewTokenDialogProps, "onClose">) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const [token, setToken] = useState<string | null>(null);
  const field = {
    name: "label",
    label: t("profile.tokenLabel"),
    hint: t("profile.tokenLabelHint"),
    type: "text",
    autoComplete: "off",
    hasInitialFocus: true,
  } as const;
  const create = async (
    getValue: (name: string) => string,
    passwordConfirmation: PasswordConfirmation,
  ) => {
    const label = getValue("label").trim();
    setToken((await client.accessTokens.create({ label, ...passwordConfirmation })).token);
    await refetchQueries(queryClient, accessTokensQuery);
  };
  return token === null ? (
    <PasswordConfirmationForm
      fields={[field]}
      submitLabel={t("profile.createToken")}
      onSubmit={create}
    />
  ) : (
    <Stack>
      <Text size="sm" role="status">
        {t("profile.tokenOnce")}
      </Text>
      <CopyableText name={t("profile.token")} text={token} />
      <Button onClick={onClose}>{t("profile.done")}</Button>
    </Stack>
  );
}
