import { IconArrowLeft } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { EMPTY_WORDING } from "../../notifications/content/wording.ts";
import { ButtonLink } from "../../page/button-link.tsx";
import { Page } from "../../page/page.tsx";
import { PATHS } from "../../paths.ts";
import { allKeysQuery, madeKeyQuery } from "../key-queries.ts";
import { BuilderForm } from "./builder-form.tsx";
import classes from "./builder.module.css";
import { isPostOnly } from "./is-post-only.ts";
import { KEY_PLACEHOLDER } from "./send-request.ts";
import { SnippetTabs } from "./snippet-tabs.tsx";
import type { Draft } from "./draft.ts";

/** Shows how a program sends: an address, a command, some lines of code. */
export function BuilderPage() {
  const { t } = useTranslation();
  const { data: made } = useQuery(madeKeyQuery);
  const { data: keys = [] } = useQuery(allKeysQuery);
  const [draft, setDraft] = useState<Draft>(() => ({
    key: "",
    groupId: "",
    ...EMPTY_WORDING,
    title: t("builder.exampleTitle"),
    body: t("builder.exampleBody"),
    isAwaited: true,
  }));
  const change = (changed: Partial<Draft>) => setDraft((before) => ({ ...before, ...changed }));
  const key = draft.key || made?.key || KEY_PLACEHOLDER;
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
        <BuilderForm draft={draft} madeKeyHint={made?.hint ?? null} onChange={change} />
        <SnippetTabs
          request={{ ...draft, key, origin: location.origin }}
          isKeyMissing={key === KEY_PLACEHOLDER}
          isPostOnly={isPostOnly(made ? [made, ...keys] : keys, key)}
        />
      </div>
    </Page>
  );
}
