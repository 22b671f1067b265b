import { Badge, Group } from "@mantine/core";
import { DELIVERY_STATES, type DeliveryCounts } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import { COLORS } from "./colors.ts";

/** How many devices a notification reached, and what became of it on the others. */
export function Counts({ counts }: { readonly counts: DeliveryCounts }) {
  const { t } = useTranslation();
  const states = DELIVERY_STATES.filter((state) => counts[state] > 0);
  return (
    <Group gap={6}>
      {states.map((state) => (
        <Badge key={state} size="sm" variant="light" color={COLORS[state]}>
          {`${counts[state]} ${t(`outcome.${state}`)}`}
        </Badge>
      ))}
      {states.length === 0 && (
        <Badge size="sm" variant="default">
          {t("log.nobody")}
        </Badge>
      )}
    </Group>
  );
}
