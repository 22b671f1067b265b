import { IconArrowLeft } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { EMPTY_FORM_CONTENT } from "../../notifications/content/form-content.ts";
import { ButtonLink } from "../../page/button-link.tsx";
import { Page } from "../../page/page.tsx";
import { PATHS } from "../../paths.ts";
import { allKeysQuery, newKeyQuery } from "../key-queries.ts";
import { BuilderForm } from "./builder-form.tsx";
import classes from "./builder.module.css";
import { isPostOnly } from "./is-post-only.ts";
import { KEY_PLACEHOLDER } from "./send-request.ts";
import { SnippetTabs } from "./snippet-tabs.tsx";
import type { BuilderDraft } from "./builder-draft.ts";

/** The page for building a webhook URL, a command or a code snippet that sends a notification. */
export function BuilderPage() {
  const { t } = useTranslation();
  const { data: newKey } = useQuery(newKeyQuery);
  const { data: keys = [] } = useQuery(allKeysQuery);
  const [draft, setDraft] = useState<BuilderDraft>(() => ({
    key: "",
    groupId: "",
    ...EMPTY_FORM_CONTENT,
    title: t("builder.exampleTitle"),
    body: t("builder.exampleBody"),
    waitsForResults: true,
  }));
  const changeDraft = (changes: Partial<BuilderDraft>) =>
    setDraft((previous) => ({ ...previous, ...changes }));
  const key = draft.key || newKey?.key || KEY_PLACEHOLDER;
  return (
    <Page
      width="wide"
      title={t("builder.title")}
      text={t("builder.text")}
      actions={
        <ButtonLink
          to={PATHS.keys}
          variant="default"
          leftSection={<IconArrowLeft size={16} aria-hidden />}
        >
          {t("builder.back")}
        </ButtonLink>
      }
    >
      <div className={classes["columns"]}>
        <BuilderForm draft={draft} newKeyHint={newKey?.hint ?? null} onChange={changeDraft} />
        <SnippetTabs
          request={{ ...draft, key, origin: location.origin }}
          isKeyMissing={key === KEY_PLACEHOLDER}
          isPostOnly={isPostOnly(newKey ? [newKey, ...keys] : keys, key)}
        />
      </div>
    </Page>
  );
}
