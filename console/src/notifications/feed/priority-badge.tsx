import { Badge } from "@mantine/core";
import type { Priority } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import { getUrgentPriority } from "./get-urgent-priority.ts";

/** A badge for a high priority or an emergency; nothing for any other priority. */
export function PriorityBadge({ priority }: { readonly priority: Priority }) {
  const { t } = useTranslation();
  const urgentPriority = getUrgentPriority(priority);
  if (urgentPriority === null) return null;
  return (
    <Badge size="sm" variant={urgentPriority === "emergency" ? "filled" : "light"} color="red">
      {t(`feed.priorities.${urgentPriority}`)}
    </Badge>
  );
}
