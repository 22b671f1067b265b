import { Text } from "@mantine/core";
import { IconAlertTriangle, IconHistory } from "@tabler/icons-react";
import type { AuditChange, AuditEvent } from "@tocsin/sdk";
import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import { ListItem } from "../../page/list.tsx";
import { Timestamp } from "../../page/timestamp.tsx";

/** The names of changes that have a translation. */
const TRANSLATED_CHANGES = [
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

/** The values that have a translation. Ids, numbers and times are shown unchanged. */
const TRANSLATED_VALUES = [
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
  const isForOtherAccount = accountName !== null && event.accountId !== actor.accountId;
  const origin = [address, userAgent].filter((value) => value !== null).join(", ");
  return (
    <ListItem
      icon={action === "sign_in_failed" ? IconAlertTriangle : IconHistory}
      title={t(`audit.action.${action}`)}
      id={event.id}
    >
      <Text size="sm" c="dimmed">
        {actor.accountName ?? t(`audit.by.${actor.kind}`)}, <Timestamp at={createdAt} />
      </Text>
      {isForOtherAccount && (
        <Text size="sm" c="dimmed">
          {t("audit.account", { name: accountName })}
        </Text>
      )}
      {changes.map((change) => (
        <Text key={change.name} size="sm" c="dimmed">
          {formatChange(change, t)}
        </Text>
      ))}
      {origin !== "" && (
        <Text size="sm" c="dimmed">
          {t("audit.origin", { place: origin })}
        </Text>
      )}
    </ListItem>
  );
}

function formatChange({ name, before, after }: AuditChange, t: TFunction): string {
  const translatedName = TRANSLATED_CHANGES.find((candidate) => candidate === name);
  const label = translatedName === undefined ? name : t(`audit.change.${translatedName}`);
  if (before === null) return t("audit.setTo", { what: label, after: formatValue(after, t) });
  return t("audit.changedFromTo", {
    what: label,
    before: formatValue(before, t),
    after: formatValue(after, t),
  });
}

function formatValue(value: string | null, t: TFunction): string {
  const translatedValue = TRANSLATED_VALUES.find((candidate) => candidate === value);
  return translatedValue === undefined ? (value ?? "") : t(`audit.value.${translatedValue}`);
}
