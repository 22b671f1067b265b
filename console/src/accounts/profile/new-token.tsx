import { Button, Stack, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import type { PasswordAgain } from "@tocsin/sdk";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { client } from "../../client.ts";
import { Copyable } from "../../page/copyable.tsx";
import { Dialog } from "../../page/dialog.tsx";
import { GuardedForm } from "./guarded-form.tsx";
import { accessTokensQuery, refresh } from "./profile-queries.ts";

export interface NewTokenProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Creates an access token and shows it once. */
export function NewToken({ isOpen, onClose }: NewTokenProps) {
  const { t } = useTranslation();
  return (
    <Dialog isOpen={isOpen} isPersistent title={t("profile.makeToken")} onClose={onClose}>
      <Steps onClose={onClose} />
    </Dialog>
  );
}

function Steps({ onClose }: Pick<NewTokenProps, "onClose">) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const [token, setToken] = useState<string | null>(null);
  const field = {
    name: "label",
    label: t("profile.tokenLabel"),
    hint: t("profile.tokenLabelHint"),
    type: "text",
    autoComplete: "off",
    isFirst: true,
  } as const;
  const create = async (valueOf: (name: string) => string, passwordAgain: PasswordAgain) => {
    const label = valueOf("label").trim();
    setToken((await client.accessTokens.create({ label, ...passwordAgain })).token);
    await refresh(queryClient, accessTokensQuery);
  };
  return token === null ? (
    <GuardedForm fields={[field]} submit={t("profile.makeTokenSubmit")} onSubmit={create} />
  ) : (
    <Stack>
      <Text size="sm" role="status">
        {t("profile.tokenOnce")}
      </Text>
      <Copyable name={t("profile.token")} text={token} />
      <Button onClick={onClose}>{t("profile.done")}</Button>
    </Stack>
  );
}
