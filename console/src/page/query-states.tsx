import { Button, Skeleton, Text, Title } from "@mantine/core";
import { IconAlertTriangle, IconCloudOff, type Icon } from "@tabler/icons-react";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { getErrorMessage } from "../errors.ts";
import classes from "./page.module.css";

interface EmptyStateProps {
  readonly icon: Icon;
  readonly title: string;
  readonly text: string;
  /** Button for the next action. */
  readonly children?: ReactNode;
}

/** The message of a page without content, with the next action. */
export function EmptyState({ icon: StateIcon, title, text, children }: EmptyStateProps) {
  return (
    <div className={classes["state"]}>
      <div className={classes["icon"]}>
        <StateIcon size={28} stroke={1.5} aria-hidden />
      </div>
      <Title order={2} size="h4">
        {title}
      </Title>
      <Text c="dimmed" size="sm" className={classes["stateText"] ?? ""}>
        {text}
      </Text>
      {children}
    </div>
  );
}

interface ErrorStateProps {
  readonly error: unknown;
  readonly onRetry: () => void;
}

/** The message of a page that failed to load its content. */
export function ErrorState({ error, onRetry }: ErrorStateProps) {
  const { t } = useTranslation();
  const isOffline = !navigator.onLine;
  const StateIcon = isOffline ? IconCloudOff : IconAlertTriangle;
  return (
    <div className={classes["state"]} role="alert">
      <div className={classes["icon"]} data-failed={isOffline ? undefined : true}>
        <StateIcon size={28} stroke={1.5} aria-hidden />
      </div>
      <Title order={2} size="h4">
        {t(isOffline ? "state.offlineTitle" : "state.failedTitle")}
      </Title>
      <Text c="dimmed" size="sm" className={classes["stateText"] ?? ""}>
        {isOffline ? t("state.offlineText") : getErrorMessage(error)}
      </Text>
      <Button variant="default" onClick={onRetry}>
        {t("state.tryAgain")}
      </Button>
    </div>
  );
}

interface QueryContentProps<T> {
  readonly query: UseQueryResult<T>;
  /** Number of placeholder rows. */
  readonly rows?: number;
  readonly children: (data: T) => ReactNode;
}

/** The data of a query, or placeholders while it loads, or its error. */
export function QueryContent<T>({ query, rows = 3, children }: QueryContentProps<T>) {
  if (query.data !== undefined) return children(query.data);
  if (query.isError) {
    return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  }
  return <SkeletonRows rows={rows} />;
}

/** Placeholders for rows that are loading. */
export function SkeletonRows({ rows }: { readonly rows: number }) {
  const { t } = useTranslation();
  return (
    <div className={classes["skeletons"]} role="status" aria-label={t("shell.loading")}>
      {Array.from({ length: rows }, (_, row) => (
        <Skeleton key={row} height={72} radius="lg" />
      ))}
    </div>
  );
}
