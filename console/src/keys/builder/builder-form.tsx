import { PasswordInput, Select, Switch, Textarea, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { DEFAULT_CHANNEL, LIMITS, SOUNDS } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import { Card } from "../../page/card.tsx";
import classes from "./builder.module.css";
import type { Draft } from "./draft.ts";
import { groupsQuery } from "./groups-query.ts";

interface BuilderFormProps {
  readonly draft: Draft;
  /** Of the key that was made last; null where none was. */
  readonly madeKeyHint: string | null;
  readonly onChange: (changed: Partial<Draft>) => void;
}

/** What is to be sent, to whom, and with which key. */
export function BuilderForm(props: BuilderFormProps) {
  const { t } = useTranslation();
  return (
    <div className={classes["form"]}>
      <Card title={t("builder.what")}>
        <Words {...props} />
        <details className={classes["more"]}>
          <summary>{t("builder.more")}</summary>
          <div className={classes["fields"]}>
            <Extras {...props} />
          </div>
        </details>
      </Card>
      <Card title={t("builder.how")}>
        <Way {...props} />
      </Card>
    </div>
  );
}

function Words({ draft, onChange }: BuilderFormProps) {
  const { t } = useTranslation();
  return (
    <>
      <TextInput
        label={t("builder.titleField")}
        maxLength={LIMITS.titleLength}
        value={draft.title}
        onChange={({ currentTarget: { value } }) => onChange({ title: value })}
      />
      <Textarea
        label={t("builder.body")}
        autosize
        minRows={2}
        maxRows={6}
        maxLength={LIMITS.bodyLength}
        value={draft.body}
        onChange={({ currentTarget: { value } }) => onChange({ body: value })}
      />
    </>
  );
}

function Extras({ draft, onChange }: BuilderFormProps) {
  const { t } = useTranslation();
  return (
    <>
      <TextInput
        label={t("builder.channel")}
        description={t("builder.channelHint")}
        placeholder={DEFAULT_CHANNEL}
        maxLength={LIMITS.channelLength}
        value={draft.channel}
        onChange={({ currentTarget: { value } }) =>
          onChange({ channel: value.replaceAll(/[^A-Za-z0-9-]/g, "") })
        }
      />
      <Select
        label={t("builder.sound")}
        clearable
        placeholder={t("builder.noSound")}
        data={SOUNDS}
        value={draft.sound === "" ? null : draft.sound}
        onChange={(sound) => onChange({ sound: sound ?? "" })}
      />
      {(["link", "image"] as const).map((field) => (
        <TextInput
          key={field}
          type="url"
          label={t(`builder.${field}`)}
          placeholder="https://"
          maxLength={LIMITS.linkLength}
          value={draft[field]}
          onChange={({ currentTarget: { value } }) => onChange({ [field]: value })}
        />
      ))}
      <Switch
        label={t("builder.timeSensitive")}
        description={t("builder.timeSensitiveHint")}
        checked={draft.isTimeSensitive}
        onChange={({ currentTarget: { checked } }) => onChange({ isTimeSensitive: checked })}
      />
    </>
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
