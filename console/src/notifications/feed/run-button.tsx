import { UnstyledButton } from "@mantine/core";
import { IconChevronDown } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import classes from "./feed-list.module.css";
import type { FeedRun } from "./feed-rows.ts";

export interface RunButtonProps {
  readonly run: FeedRun;
  readonly onToggle: (run: FeedRun) => void;
}

/** A button with the length of a run that expands or folds it. */
export function RunButton({ run, onToggle }: RunButtonProps) {
  const { t } = useTranslation();
  const count = run.all.length;
  return (
    <UnstyledButton
      className={classes["run"] ?? ""}
      aria-label={t("feed.repeats", { count })}
      aria-expanded={run.isOpen}
      onClick={() => onToggle(run)}
    >
      × {count}
      <IconChevronDown size={14} aria-hidden />
    </UnstyledButton>
  );
}
