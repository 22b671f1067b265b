import { Modal, Stack, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import type { CreatedSignUpInvitation } from "@tocsin/sdk";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { client } from "../client.ts";
import { CopyableText } from "../page/copyable-text.tsx";
import { Form } from "../page/form.tsx";
import { invitationsQuery } from "./administration-queries.ts";

interface InvitePersonDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** A dialog that creates an invitation: a link that signs up one person. */
export function InvitePersonDialog({ isOpen, onClose }: InvitePersonDialogProps) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const [invitation, setInvitation] = useState<CreatedSignUpInvitation | null>(null);
  const field = {
    name: "email",
    label: t("account.email"),
    hint: t("admin.inviteHint"),
    type: "email",
    autoComplete: "off",
    isOptional: true,
  } as const;
  const invite = async (getValue: (name: string) => string) => {
    const email = getValue("email").trim();
    setInvitation(await client.admin.invitations.create(email === "" ? {} : { email }));
    await queryClient.invalidateQueries({ queryKey: invitationsQuery.queryKey });
  };
  const close = () => {
    setInvitation(null);
    onClose();
  };
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      title={t("admin.invite")}
      closeButtonProps={{ "aria-label": t("shell.close") }}
    >
      {invitation === null ? (
        <Form fields={[field]} submitLabel={t("admin.createLink")} onSubmit={invite} />
      ) : (
        <Stack gap="sm">
          <Text size="sm" role="status">
            {t(invitation.isMailed ? "admin.inviteMailed" : "admin.inviteLink")}
          </Text>
          <CopyableText name={t("admin.link")} text={invitation.link} />
        </Stack>
      )}
    </Modal>
  );
}
