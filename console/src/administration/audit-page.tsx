import { NativeSelect, Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { AUDIT_ACTIONS, type AuditAction } from "@tocsin/sdk";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { AuditList } from "../accounts/audit/audit-list.tsx";
import { createAuditQuery } from "../accounts/audit/audit-queries.ts";
import { AdministrationFrame } from "./administration-frame.tsx";

/** The server's audit log, filtered by action. */
export function AuditPage() {
  const { t } = useTranslation();
  const [action, setAction] = useState<AuditAction | null>(null);
  const query = useInfiniteQuery(createAuditQuery(action));
  const options = AUDIT_ACTIONS.map((value) => ({ value, label: t(`audit.action.${value}`) }));
  return (
    <AdministrationFrame>
      <Text size="sm">{t("audit.text")}</Text>
      <NativeSelect
        size="md"
        label={t("audit.actionFilter")}
        value={action ?? ""}
        data={[
          { value: "", label: t("audit.allActions") },
          ...options.toSorted((a, b) => a.label.localeCompare(b.label)),
        ]}
        onChange={({ currentTarget: { value } }) =>
          setAction(AUDIT_ACTIONS.find((candidate) => candidate === value) ?? null)
        }
      />
      <AuditList label={t("audit.title")} query={query} />
    </AdministrationFrame>
  );
}
