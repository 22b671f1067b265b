import { Badge, Menu, Text } from "@mantine/core";
import { IconBell, IconPencil, IconStairsUp, IconTrash } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { EscalationPolicy } from "@tocsin/sdk";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ActionsMenu } from "../../page/actions-menu.tsx";
import { ConfirmDialog } from "../../page/confirm-dialog.tsx";
import { ListItem } from "../../page/list.tsx";
import { teamsQuery } from "../../teams/team-queries.ts";
import { EditPolicyDialog } from "./edit-policy-dialog.tsx";
import { formatDelay } from "./format-delay.ts";
import { removePolicy } from "./policy-queries.ts";
import { PolicySteps } from "./policy-steps.tsx";
import { TestPolicyDialog } from "./test-policy-dialog.tsx";

type DialogName = "edit" | "test" | "remove";

/** A policy in the list, with its steps, whom they would reach now, and its actions. */
export function PolicyItem({ policy }: { readonly policy: EscalationPolicy }) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const [openDialog, setOpenDialog] = useState<DialogName | null>(null);
  const { id, name, remindAfterSeconds } = policy;
  const close = () => setOpenDialog(null);
  return (
    <ListItem
      icon={IconStairsUp}
      title={name}
      id={id}
      badge={<TeamBadge policy={policy} />}
      actions={<PolicyMenu policy={policy} onSelect={setOpenDialog} />}
      footer={<PolicySteps policy={policy} />}
    >
      {remindAfterSeconds !== null && (
        <Text size="sm" c="dimmed">
          {t("policy.remindsAfter", { delay: formatDelay(remindAfterSeconds) })}
        </Text>
      )}
      {openDialog === "edit" && <EditPolicyDialog policy={policy} onClose={close} />}
      {openDialog === "test" && <TestPolicyDialog policy={policy} onClose={close} />}
      <ConfirmDialog
        isOpen={openDialog === "remove"}
        title={t("policy.removeTitle", { name })}
        message={t("policy.removeText")}
        actionLabel={t("policy.remove")}
        onConfirm={() => removePolicy(queryClient, id)}
        onClose={close}
      />
    </ListItem>
  );
}

function TeamBadge({ policy: { teamId } }: { readonly policy: EscalationPolicy }) {
  const { data: teams = [] } = useQuery(teamsQuery);
  const team = teams.find(({ id }) => id === teamId);
  if (team === undefined) return null;
  return (
    <Badge variant="light" color="gray" tt="none">
      {team.name}
    </Badge>
  );
}

interface PolicyMenuProps {
  readonly policy: EscalationPolicy;
  readonly onSelect: (dialog: DialogName) => void;
}

function PolicyMenu({ policy: { name }, onSelect }: PolicyMenuProps) {
  const { t } = useTranslation();
  return (
    <ActionsMenu label={t("policy.actions", { name })}>
      <Menu.Item
        leftSection={<IconPencil size={16} aria-hidden />}
        onClick={() => onSelect("edit")}
      >
        {t("policy.edit")}
      </Menu.Item>
      <Menu.Item leftSection={<IconBell size={16} aria-hidden />} onClick={() => onSelect("test")}>
        {t("policy.test.action")}
      </Menu.Item>
      <Menu.Item
        c="var(--mantine-color-error)"
        leftSection={<IconTrash size={16} aria-hidden />}
        onClick={() => onSelect("remove")}
      >
        {t("policy.remove")}
      </Menu.Item>
    </ActionsMenu>
  );
}
