import { Text } from "@mantine/core";
import { IconAlertTriangle, IconHistory } from "@tabler/icons-react";
import type { AuditChange, AuditEvent } from "@tocsin/sdk";
import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import { ListItem } from "../../page/list.tsx";
import { Moment } from "../../page/moment.tsx";

/** Names of changes that have a text of their own. */
const NAMES = [
  "addressProof",
  "expiresAt",
  "isAdmin",
  "isTakenBack",
  "keyId",
  "method",
  "provider",
  "retentionDays",
  "role",
  "signUp",
  "unrecorded",
] as const;

/** Values that have a text of their own; ids, numbers and times are shown as they are. */
const VALUES = [
  "true",
  "false",
  "password",
  "code",
  "passkey",
  "oidc",
  "pairing",
  "sign_up",
  "new_password",
  "mailed_link",
  "handed_link",
  "administrator",
  "set_up_link",
  "operator",
  "owner",
  "admin",
  "member",
  "open",
  "invite",
  "closed",
] as const;

/** One audit event: the action, its actor, the affected account, time and origin. */
export function AuditItem({ event }: { readonly event: AuditEvent }) {
  const { t } = useTranslation();
  const { action, actor, accountName, changes, address, userAgent, createdAt } = event;
  const isForAnother = accountName !== null && event.accountId !== actor.accountId;
  const place = [address, userAgent].filter((part) => part !== null).join(", ");
  return (
    <ListItem
      icon={action === "sign_in_failed" ? IconAlertTriangle : IconHistory}
      title={t(`audit.action.${action}`)}
      id={event.id}
    >
      <Text size="sm" c="dimmed">
        {actor.accountName ?? t(`audit.by.${actor.kind}`)}, <Moment at={createdAt} />
      </Text>
      {isForAnother && (
        <Text size="sm" c="dimmed">
          {t("audit.account", { name: accountName })}
        </Text>
      )}
      {changes.map((change) => (
        <Text key={change.name} size="sm" c="dimmed">
          {changeText(change, t)}
        </Text>
      ))}
      {place !== "" && (
        <Text size="sm" c="dimmed">
          {t("audit.from", { place })}
        </Text>
      )}
    </ListItem>
  );
}

function changeText({ name, before, after }: AuditChange, t: TFunction): string {
  const known = NAMES.find((other) => other === name);
  const what = known === undefined ? name : t(`audit.change.${known}`);
  if (before === null) return t("audit.is", { what, after: valueText(after, t) });
  return t("audit.was", { what, before: valueText(before, t), after: valueText(after, t) });
}

function valueText(value: string | null, t: TFunction): string {
  const known = VALUES.find((other) => other === value);
  return known === undefined ? (value ?? "") : t(`audit.value.${known}`);
}
