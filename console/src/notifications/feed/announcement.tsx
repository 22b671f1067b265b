import { VisuallyHidden } from "@mantine/core";
import type { FeedItem } from "@tocsin/sdk";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { titleOf } from "./title.ts";

/** Announces to screen readers what arrives while the page is open. */
export function Announcement({ items }: { readonly items: readonly FeedItem[] }) {
  const { t } = useTranslation();
  const newest = items[0] ?? null;
  const [known, setKnown] = useState<string | null>(newest?.id ?? null);
  const [said, setSaid] = useState("");
  if (newest !== null && newest.id !== known) {
    const isNews = known !== null && newest.id > known && newest.readAt === null;
    setKnown(newest.id);
    if (isNews) setSaid(t("feed.announce", { title: titleOf(newest) }));
  }
  return <VisuallyHidden role="status">{said}</VisuallyHidden>;
}
