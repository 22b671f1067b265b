import { ActionIcon, Autocomplete, Select, Switch, Textarea, TextInput } from "@mantine/core";
import { IconVolume } from "@tabler/icons-react";
import {
  CONTENT_FIELDS,
  DEFAULT_CHANNEL,
  DEFAULT_PRIORITY,
  LIMITS,
  PRIORITIES,
  SOUNDS,
} from "@tocsin/sdk";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { showError } from "../../page/toasts.ts";
import { playSound } from "../sound/play-sound.ts";
import { channelsQuery } from "../feed/feed-queries.ts";
import { getFieldsShownAs, type FieldShownAs } from "../content/field-display.ts";
import type { FormContent } from "../content/form-content.ts";
import { formatRemaining } from "../content/format-remaining.ts";

interface ContentFieldsProps {
  readonly content: FormContent;
  readonly onChange: (changes: Partial<FormContent>) => void;
  /** Returns the server's error message for a request field; null if there is none. */
  readonly getError?: (field: string) => string | null;
}

/** The fields that are always visible: title and text. */
export function MainFields({ content, onChange, getError = getNoError }: ContentFieldsProps) {
  const { t } = useTranslation();
  return (
    <>
      <TextInput
        name="title"
        label={t("content.title")}
        inputWrapperOrder={INPUT_ORDER}
        description={formatRemaining(content.title, LIMITS.titleLength)}
        value={content.title}
        error={getError("title")}
        onChange={({ currentTarget: { value } }) => onChange({ title: value })}
      />
      <Textarea
        name="body"
        label={t("content.body")}
        inputWrapperOrder={INPUT_ORDER}
        autosize
        minRows={3}
        maxRows={8}
        description={formatRemaining(content.body, LIMITS.bodyLength)}
        value={content.body}
        error={getError("body")}
        onChange={({ currentTarget: { value } }) => onChange({ body: value })}
      />
    </>
  );
}

/** The fields that are collapsed under "more": channel, sound, URLs, urgency and format. */
export function MoreFields(props: ContentFieldsProps) {
  return getFieldsShownAs("form", "more").map((field) => (
    <FieldControl key={field} field={field} {...props} />
  ));
}

type MoreField = FieldShownAs<"form", "more">;

function FieldControl(props: ContentFieldsProps & { readonly field: MoreField }) {
  const { t } = useTranslation();
  const { field, content, onChange, getError = getNoError } = props;
  const sharedProps = {
    name: field,
    label: t(`content.${field}`),
    description: t(`content.${field}Hint`),
    error: getError(field),
  };
  switch (CONTENT_FIELDS[field].kind) {
    case "name":
      return <ChannelField {...props} />;
    case "choice":
      return <SoundField {...props} />;
    case "level":
      return <PriorityField {...props} />;
    case "url":
      return (
        <TextInput
          {...sharedProps}
          type="url"
          placeholder="https://"
          value={String(content[field])}
          onChange={({ currentTarget: { value } }) => onChange({ [field]: value })}
        />
      );
    case "flag":
      return (
        <Switch
          {...sharedProps}
          checked={content[field] === true}
          onChange={({ currentTarget: { checked } }) => onChange({ [field]: checked })}
        />
      );
  }
}

function ChannelField({ content, onChange, getError = getNoError }: ContentFieldsProps) {
  const { t } = useTranslation();
  const { data: channels = [] } = useQuery(channelsQuery);
  return (
    <Autocomplete
      name="channel"
      label={t("content.channel")}
      description={t("content.channelHint")}
      placeholder={DEFAULT_CHANNEL}
      data={channels.map(({ name }) => name)}
      value={content.channel}
      error={getError("channel")}
      onChange={(channel) => onChange({ channel })}
    />
  );
}

function SoundField({ content, onChange, getError = getNoError }: ContentFieldsProps) {
  const { t } = useTranslation();
  const sound = SOUNDS.find((name) => name === content.sound);
  return (
    <Select
      label={t("content.sound")}
      description={t("content.soundHint")}
      clearable
      clearButtonProps={{ "aria-label": t("content.noSound") }}
      placeholder={t("content.noSound")}
      data={SOUNDS}
      value={sound ?? null}
      error={getError("sound")}
      onChange={(selected) => onChange({ sound: selected ?? "" })}
      leftSection={
        sound !== undefined && (
          <ActionIcon
            variant="subtle"
            aria-label={t("content.listen", { sound })}
            onClick={() => void playSound(sound).catch(showError)}
          >
            <IconVolume size={16} aria-hidden />
          </ActionIcon>
        )
      }
    />
  );
}

function PriorityField({ content, onChange, getError = getNoError }: ContentFieldsProps) {
  const { t } = useTranslation();
  const options = PRIORITIES.map((value) => ({ value, label: t(`content.priorities.${value}`) }));
  return (
    <Select
      label={t("content.priority")}
      description={t("content.priorityHint")}
      allowDeselect={false}
      data={options}
      value={content.priority || DEFAULT_PRIORITY}
      error={getError("priority")}
      onChange={(priority) =>
        onChange({ priority: priority === DEFAULT_PRIORITY ? "" : (priority ?? "") })
      }
    />
  );
}

/**
 * Order of an input's parts. The description comes after the input: it appears during typing and must not move the
 * input.
 */
const INPUT_ORDER: ("label" | "input" | "description" | "error")[] = [
  "label",
  "input",
  "description",
  "error",
];

function getNoError(): null {
  return null;
}
