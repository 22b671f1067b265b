import { Radio, Stack, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { SIGN_UP_POLICIES, type ServerSettings, type SignUpPolicy } from "@tocsin/sdk";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { client } from "../client.ts";
import { showError, showToast } from "../page/toasts.ts";
import { settingsQuery } from "./administration-queries.ts";

/** The options for the sign-up policy. A selection takes effect immediately. */
export function SignUpChoice({ signUp }: Pick<ServerSettings, "signUp">) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const [pendingPolicy, setPendingPolicy] = useState<SignUpPolicy | null>(null);
  const choose = async (value: string) => {
    const policy = SIGN_UP_POLICIES.find((candidate) => candidate === value);
    if (policy === undefined) return;
    setPendingPolicy(policy);
    try {
      const settings = await client.admin.settings.update({ signUp: policy });
      queryClient.setQueryData(settingsQuery.queryKey, settings);
      showToast(t("admin.changed"));
    } catch (error) {
      showError(error);
    } finally {
      setPendingPolicy(null);
    }
  };
  const isFixed = signUp.fixedBy !== null;
  return (
    <Stack gap="sm">
      <Radio.Group
        aria-label={t("admin.signUpPolicy")}
        value={pendingPolicy ?? signUp.value}
        onChange={(value) => void choose(value)}
      >
        <Stack gap="sm">
          {SIGN_UP_POLICIES.map((policy) => (
            <Radio
              key={policy}
              value={policy}
              disabled={isFixed}
              label={t(`admin.policy.${policy}.name`)}
              description={t(`admin.policy.${policy}.text`)}
            />
          ))}
        </Stack>
      </Radio.Group>
      <FixedSettingNotice name={signUp.fixedBy} />
    </Stack>
  );
}

/** A notice with the name of the environment variable that fixes a setting; renders nothing if there is none. */
export function FixedSettingNotice({ name }: { readonly name: string | null }) {
  const { t } = useTranslation();
  if (name === null) return null;
  return (
    <Text size="sm" c="dimmed">
      {t("admin.fixedBy", { name })}
    </Text>
  );
}
