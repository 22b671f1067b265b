import { Modal, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { formatPushoverUserKey, type DeviceGroup } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import { KEY_PLACEHOLDER } from "../../keys/builder/send-request.ts";
import { SNIPPET_FORMATTERS } from "../../keys/builder/snippets.ts";
import { newKeyQuery } from "../../keys/key-queries.ts";
import { EMPTY_DRAFT } from "../../notifications/send/draft.ts";
import { CopyableText } from "../../page/copyable-text.tsx";

interface GroupCommandDialogProps {
  readonly group: DeviceGroup;
  readonly onClose: () => void;
}

/** A dialog with the group's id and a command that sends to it. */
export function GroupCommandDialog({ group: { id, name }, onClose }: GroupCommandDialogProps) {
  const { t } = useTranslation();
  const { data: newKey } = useQuery(newKeyQuery);
  const command = SNIPPET_FORMATTERS.curl({
    ...EMPTY_DRAFT,
    title: t("builder.exampleTitle"),
    body: t("builder.exampleBody"),
    origin: location.origin,
    key: newKey?.kind === "account" ? newKey.key : KEY_PLACEHOLDER,
    groupId: id,
    waitsForResults: true,
  });
  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title={t("group.addressTitle", { name })}
      closeButtonProps={{ "aria-label": t("shell.close") }}
    >
      <Stack>
        <Text size="sm">{t("group.addressText")}</Text>
        <CopyableText name={t("group.id")} text={id} />
        <CopyableText name="curl" text={command} />
        <Text size="sm">{t("group.pushoverText")}</Text>
        <CopyableText
          name={t("dialect.userKey")}
          text={formatPushoverUserKey({ kind: "group", id })}
        />
      </Stack>
    </Modal>
  );
}
