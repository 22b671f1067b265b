import { Badge, Text } from "@mantine/core";
import { IconUser, IconUserCog, IconUserOff } from "@tabler/icons-react";
import type { ListedAccount } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import { useAccount } from "../accounts/account-context.ts";
import { ListItem } from "../page/list.tsx";
import { formatTimestamp } from "../page/timestamp.tsx";
import { AccountActions } from "./account-actions.tsx";

/** An account in the list: its name, its state and the actions on it, unless it is the administrator's own. */
export function AccountItem({ account }: { readonly account: ListedAccount }) {
  const { t } = useTranslation();
  const ownAccount = useAccount();
  const { id, name, email, isAdmin, isEmailVerified, suspendedAt, lastSeenAt } = account;
  const isSuspended = suspendedAt !== null;
  const lastSeen =
    lastSeenAt === null
      ? t("admin.neverSeen")
      : t("admin.seen", { when: formatTimestamp(lastSeenAt) });
  const counts = [
    t("admin.devices", { count: account.deviceCount }),
    t("admin.teams", { count: account.teamCount }),
  ];
  return (
    <ListItem
      icon={isSuspended ? IconUserOff : isAdmin ? IconUserCog : IconUser}
      title={name}
      id={id}
      badge={
        <>
          {isAdmin && <Badge variant="light">{t("admin.adminBadge")}</Badge>}
          {isSuspended && (
            <Badge variant="light" color="red">
              {t("admin.suspendedBadge")}
            </Badge>
          )}
          {!isEmailVerified && (
            <Badge variant="light" color="gray">
              {t("admin.unverifiedBadge")}
            </Badge>
          )}
        </>
      }
      actions={id === ownAccount.id ? undefined : <AccountActions account={account} />}
    >
      <Text size="sm" c="dimmed" style={{ overflowWrap: "anywhere" }}>
        {email}
      </Text>
      <Text size="sm" c="dimmed">
        {[...counts, lastSeen].join(" · ")}
      </Text>
    </ListItem>
  );
}
