import { VisuallyHidden } from "@mantine/core";
import type { FeedItem } from "@tocsin/sdk";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { getDisplayTitle } from "./display-title.ts";

/** Announces new notifications to screen readers while the page is open. */
export function Announcement({ items }: { readonly items: readonly FeedItem[] }) {
  const { t } = useTranslation();
  const newestItem = items[0] ?? null;
  const [lastId, setLastId] = useState<string | null>(newestItem?.id ?? null);
  const [message, setMessage] = useState("");
  if (newestItem !== null && newestItem.id !== lastId) {
    const isNew = lastId !== null && newestItem.id > lastId && newestItem.readAt === null;
    setLastId(newestItem.id);
    if (isNew) setMessage(t("feed.announce", { title: getDisplayTitle(newestItem) }));
  }
  return <VisuallyHidden role="status">{message}</VisuallyHidden>;
}
