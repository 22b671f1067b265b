import { Text } from "@mantine/core";
import { IconAlertTriangle, IconCircleCheck, IconCircleX, type Icon } from "@tabler/icons-react";
import type { Finding } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import classes from "./administration.module.css";

/** The findings of a check, each with its status and its remedy. */
export function Findings({ findings }: { readonly findings: readonly Finding[] }) {
  return (
    <ul className={classes["findings"]}>
      {findings.map((finding) => (
        <FindingItem key={`${finding.subject} ${finding.message}`} finding={finding} />
      ))}
    </ul>
  );
}

function FindingItem({
  finding: { status, message, mend: remedy },
}: {
  readonly finding: Finding;
}) {
  const { t } = useTranslation();
  const StatusIcon = STATUS_ICONS[status];
  return (
    <li className={classes["finding"]} data-status={status}>
      <StatusIcon size={20} stroke={1.75} role="img" aria-label={t(`admin.status.${status}`)} />
      <div>
        <Text size="sm">{message}</Text>
        {remedy !== null && (
          <Text size="sm" c="dimmed">
            {remedy}
          </Text>
        )}
      </div>
    </li>
  );
}

const STATUS_ICONS: Readonly<Record<Finding["status"], Icon>> = {
  ok: IconCircleCheck,
  warn: IconAlertTriangle,
  fail: IconCircleX,
};
