import { Badge, type BadgeProps } from "@mantine/core";
import type { PromptState } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import classes from "./prompt.module.css";

const STYLES: Readonly<Record<PromptState, BadgeProps>> = {
  open: { variant: "filled" },
  answered: { variant: "light", color: "green" },
  expired: { variant: "light", color: "red" },
  cancelled: { variant: "default" },
};

/** A badge with the state of a prompt. */
export function PromptBadge({ state }: { readonly state: PromptState }) {
  const { t } = useTranslation();
  return (
    <Badge size="sm" className={classes["badge"] ?? ""} {...STYLES[state]}>
      {t(`prompt.state.${state}`)}
    </Badge>
  );
}
