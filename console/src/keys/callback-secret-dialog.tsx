import { Modal, Stack, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import type { ApiKey } from "@tocsin/sdk";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ActionButton } from "../page/action-button.tsx";
import { CopyableText } from "../page/copyable-text.tsx";
import { createCallbackSecret } from "./key-queries.ts";

interface CallbackSecretDialogProps {
  readonly apiKey: ApiKey;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** A dialog that creates the callback secret of a key and shows it until the dialog is closed. */
export function CallbackSecretDialog({ apiKey, isOpen, onClose }: CallbackSecretDialogProps) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const [secret, setSecret] = useState<string | null>(null);
  const { id, hint, hasCallbackSecret } = apiKey;
  const close = () => {
    setSecret(null);
    onClose();
  };
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      title={t("key.callbackSecretTitle", { hint })}
      closeButtonProps={{ "aria-label": t("shell.close") }}
    >
      <Stack>
        <Text size="sm">{t("key.callbackSecretText")}</Text>
        {secret === null ? (
          <>
            {hasCallbackSecret && <Text size="sm">{t("key.callbackSecretReplaces")}</Text>}
            <ActionButton run={async () => setSecret(await createCallbackSecret(queryClient, id))}>
              {t("key.callbackSecretCreate")}
            </ActionButton>
          </>
        ) : (
          <div role="status">
            <Text size="sm" mb="xs">
              {t("key.callbackSecretOnce")}
            </Text>
            <CopyableText name={t("key.callbackSecretName")} text={secret} />
          </div>
        )}
      </Stack>
    </Modal>
  );
}
