import { VisuallyHidden } from "@mantine/core";
import type { FeedItem } from "@tocsin/sdk";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { titleOf } from "./title.ts";

/** Announces new notifications to screen readers while the page is open. */
export function Announcement({ items }: { readonly items: readonly FeedItem[] }) {
  const { t } = useTranslation();
  const newest = items[0] ?? null;
  const [lastId, setLastId] = useState<string | null>(newest?.id ?? null);
  const [message, setMessage] = useState("");
  if (newest !== null && newest.id !== lastId) {
    const isNew = lastId !== null && newest.id > lastId && newest.readAt === null;
    setLastId(newest.id);
    if (isNew) setMessage(t("feed.announce", { title: titleOf(newest) }));
  }
  return <VisuallyHidden role="status">{message}</VisuallyHidden>;
}
