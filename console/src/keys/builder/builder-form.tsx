import { PasswordInput, Select, Switch } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { MannerFields, WordFields } from "../../notifications/send/wording-fields.tsx";
import { Card } from "../../page/card.tsx";
import classes from "./builder.module.css";
import type { Draft } from "./draft.ts";
import { groupsQuery } from "../../devices/groups/group-queries.ts";

interface BuilderFormProps {
  readonly draft: Draft;
  /** Hint of the key that was made last; null for none. */
  readonly madeKeyHint: string | null;
  readonly onChange: (changed: Partial<Draft>) => void;
}

/** Form for the content, the audience and the key. */
export function BuilderForm(props: BuilderFormProps) {
  const { t } = useTranslation();
  return (
    <div className={classes["form"]}>
      <Card title={t("builder.what")}>
        <WordFields wording={props.draft} onChange={props.onChange} />
        <details className={classes["more"]}>
          <summary>{t("wording.more")}</summary>
          <div className={classes["fields"]}>
            <MannerFields wording={props.draft} onChange={props.onChange} />
          </div>
        </details>
      </Card>
      <Card title={t("builder.how")}>
        <Way {...props} />
      </Card>
    </div>
  );
}

function Way({ draft, madeKeyHint, onChange }: BuilderFormProps) {
  const { t } = useTranslation();
  const { data: groups = [] } = useQuery(groupsQuery);
  return (
    <>
      <PasswordInput
        label={t("builder.key")}
        description={
          madeKeyHint === null ? t("builder.keyHint") : t("builder.keyMade", { hint: madeKeyHint })
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
        checked={draft.isAwaited}
        onChange={({ currentTarget: { checked } }) => onChange({ isAwaited: checked })}
      />
    </>
  );
}
