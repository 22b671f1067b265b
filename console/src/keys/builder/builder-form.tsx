import { PasswordInput, Select, Switch } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { MoreFields, MainFields } from "../../notifications/send/content-fields.tsx";
import { Card } from "../../page/card.tsx";
import classes from "./builder.module.css";
import type { BuilderDraft } from "./builder-draft.ts";
import { groupsQuery } from "../../devices/groups/group-queries.ts";

interface BuilderFormProps {
  readonly draft: BuilderDraft;
  /** Hint of the newest created key; null if there is none. */
  readonly newKeyHint: string | null;
  readonly onChange: (changes: Partial<BuilderDraft>) => void;
}

/** The form for the content, the recipients and the key. */
export function BuilderForm(props: BuilderFormProps) {
  const { t } = useTranslation();
  return (
    <div className={classes["form"]}>
      <Card title={t("builder.content")}>
        <MainFields content={props.draft} onChange={props.onChange} />
        <details className={classes["more"]}>
          <summary>{t("content.more")}</summary>
          <div className={classes["fields"]}>
            <MoreFields content={props.draft} onChange={props.onChange} />
          </div>
        </details>
      </Card>
      <Card title={t("builder.keyAndRecipient")}>
        <RequestFields {...props} />
      </Card>
    </div>
  );
}

function RequestFields({ draft, newKeyHint, onChange }: BuilderFormProps) {
  const { t } = useTranslation();
  const { data: groups = [] } = useQuery(groupsQuery);
  return (
    <>
      <PasswordInput
        label={t("builder.key")}
        description={
          newKeyHint === null
            ? t("builder.keyHint")
            : t("builder.keyFilledIn", { hint: newKeyHint })
        }
        autoComplete="off"
        value={draft.key}
        onChange={({ currentTarget: { value } }) => onChange({ key: value.trim() })}
      />
      {groups.length > 0 && (
        <Select
          label={t("builder.target")}
          allowDeselect={false}
          data={[
            { value: "", label: t("builder.everyDevice") },
            ...groups.map(({ id, name }) => ({ value: id, label: name })),
          ]}
          value={draft.groupId}
          onChange={(groupId) => onChange({ groupId: groupId ?? "" })}
        />
      )}
      <Switch
        label={t("builder.await")}
        description={t("builder.awaitHint")}
        checked={draft.waitsForResults}
        onChange={({ currentTarget: { checked } }) => onChange({ waitsForResults: checked })}
      />
    </>
  );
}
