import { Select, Switch, Textarea, TextInput } from "@mantine/core";
import { DEFAULT_CHANNEL, LIMITS, SOUNDS } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import type { Wording } from "./draft.ts";

export interface WordingFieldsProps {
  readonly wording: Wording;
  readonly onChange: (changed: Partial<Wording>) => void;
  /** What the server said of a field, by its name in a request. */
  readonly errorOf?: (field: string) => string | null;
}

/** The fields for what a notification says: title and text. */
export function WordFields({ wording, onChange, errorOf = noError }: WordingFieldsProps) {
  const { t } = useTranslation();
  return (
    <>
      <TextInput
        name="title"
        label={t("wording.title")}
        maxLength={LIMITS.titleLength}
        value={wording.title}
        error={errorOf("title")}
        onChange={({ currentTarget: { value } }) => onChange({ title: value })}
      />
      <Textarea
        name="body"
        label={t("wording.body")}
        autosize
        minRows={3}
        maxRows={8}
        maxLength={LIMITS.bodyLength}
        value={wording.body}
        error={errorOf("body")}
        onChange={({ currentTarget: { value } }) => onChange({ body: value })}
      />
    </>
  );
}

/** The fields for how a notification comes: channel, sound, link, image, urgency. */
export function MannerFields({ wording, onChange, errorOf = noError }: WordingFieldsProps) {
  const { t } = useTranslation();
  return (
    <>
      <TextInput
        name="channel"
        label={t("wording.channel")}
        description={t("wording.channelHint")}
        placeholder={DEFAULT_CHANNEL}
        maxLength={LIMITS.channelLength}
        value={wording.channel}
        error={errorOf("channel")}
        onChange={({ currentTarget: { value } }) =>
          onChange({ channel: value.replaceAll(/[^A-Za-z0-9-]/g, "") })
        }
      />
      <Select
        label={t("wording.sound")}
        clearable
        clearButtonProps={{ "aria-label": t("wording.noSound") }}
        placeholder={t("wording.noSound")}
        data={SOUNDS}
        value={wording.sound === "" ? null : wording.sound}
        error={errorOf("sound")}
        onChange={(sound) => onChange({ sound: sound ?? "" })}
      />
      {(["link", "image"] as const).map((field) => (
        <TextInput
          key={field}
          name={field}
          type="url"
          label={t(`wording.${field}`)}
          placeholder="https://"
          maxLength={LIMITS.linkLength}
          value={wording[field]}
          error={errorOf(field)}
          onChange={({ currentTarget: { value } }) => onChange({ [field]: value })}
        />
      ))}
      <Switch
        label={t("wording.timeSensitive")}
        description={t("wording.timeSensitiveHint")}
        checked={wording.isTimeSensitive}
        onChange={({ currentTarget: { checked } }) => onChange({ isTimeSensitive: checked })}
      />
    </>
  );
}

function noError(): null {
  return null;
}
