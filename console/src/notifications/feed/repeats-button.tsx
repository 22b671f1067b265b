import { UnstyledButton } from "@mantine/core";
import { IconChevronDown } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import classes from "./feed-list.module.css";
import type { FeedRun } from "./feed-rows.ts";

interface RepeatsButtonProps {
  readonly run: FeedRun;
  readonly onToggle: (run: FeedRun) => void;
}

/** A button that shows how many notifications a run has, and expands or collapses the run. */
export function RepeatsButton({ run, onToggle }: RepeatsButtonProps) {
  const { t } = useTranslation();
  const count = run.items.length;
  return (
    <UnstyledButton
      className={classes["run"] ?? ""}
      aria-label={t("feed.repeats", { count })}
      aria-expanded={run.isExpanded}
      onClick={() => onToggle(run)}
    >
      × {count}
      <IconChevronDown size={14} aria-hidden />
    </UnstyledButton>
  );
}
