import { ActionIcon, Autocomplete, Select, Switch, Textarea, TextInput } from "@mantine/core";
import { IconVolume } from "@tabler/icons-react";
import { CONTENT_FIELDS, DEFAULT_CHANNEL, LIMITS, SOUNDS } from "@tocsin/sdk";
import { useQuery } from "@tanstack/react-query";
import i18next from "i18next";
import { useTranslation } from "react-i18next";
import { showError } from "../../page/toasts.ts";
import { playSound } from "../sound/play-sound.ts";
import { channelsQuery } from "../feed/feed-queries.ts";
import { fieldsShownAs, type FieldShownAs } from "../content/field-display.ts";
import type { Wording } from "../content/wording.ts";
import { remainingCharacters } from "./remaining-characters.ts";

export interface ContentFieldsProps {
  readonly wording: Wording;
  readonly onChange: (changes: Partial<Wording>) => void;
  /** Returns the server's error message for a request field; null for none. */
  readonly errorOf?: (field: string) => string | null;
}

/** The fields that are always visible: title and text. */
export function MainFields({ wording, onChange, errorOf = noError }: ContentFieldsProps) {
  const { t } = useTranslation();
  return (
    <>
      <TextInput
        name="title"
        label={t("wording.title")}
        inputWrapperOrder={INPUT_ORDER}
        description={formatRemaining(wording.title, LIMITS.titleLength)}
        value={wording.title}
        error={errorOf("title")}
        onChange={({ currentTarget: { value } }) => onChange({ title: value })}
      />
      <Textarea
        name="body"
        label={t("wording.body")}
        inputWrapperOrder={INPUT_ORDER}
        autosize
        minRows={3}
        maxRows={8}
        description={formatRemaining(wording.body, LIMITS.bodyLength)}
        value={wording.body}
        error={errorOf("body")}
        onChange={({ currentTarget: { value } }) => onChange({ body: value })}
      />
    </>
  );
}

/** The fields that are folded under "more": channel, sound, URLs, urgency and format. */
export function MoreFields(props: ContentFieldsProps) {
  return fieldsShownAs("form", "more").map((field) => (
    <FieldControl key={field} field={field} {...props} />
  ));
}

type MoreField = FieldShownAs<"form", "more">;

function FieldControl(props: ContentFieldsProps & { readonly field: MoreField }) {
  const { t } = useTranslation();
  const { field, wording, onChange, errorOf = noError } = props;
  const shared = {
    name: field,
    label: t(`wording.${field}`),
    description: t(`wording.${field}Hint`),
    error: errorOf(field),
  };
  switch (CONTENT_FIELDS[field].kind) {
    case "name":
      return <ChannelField {...props} />;
    case "choice":
      return <SoundField {...props} />;
    case "url":
      return (
        <TextInput
          {...shared}
          type="url"
          placeholder="https://"
          value={String(wording[field])}
          onChange={({ currentTarget: { value } }) => onChange({ [field]: value })}
        />
      );
    case "flag":
      return (
        <Switch
          {...shared}
          checked={wording[field] === true}
          onChange={({ currentTarget: { checked } }) => onChange({ [field]: checked })}
        />
      );
  }
}

function ChannelField({ wording, onChange, errorOf = noError }: ContentFieldsProps) {
  const { t } = useTranslation();
  const { data: channels = [] } = useQuery(channelsQuery);
  return (
    <Autocomplete
      name="channel"
      label={t("wording.channel")}
      description={t("wording.channelHint")}
      placeholder={DEFAULT_CHANNEL}
      data={channels.map(({ name }) => name)}
      value={wording.channel}
      error={errorOf("channel")}
      onChange={(channel) => onChange({ channel })}
    />
  );
}

function SoundField({ wording, onChange, errorOf = noError }: ContentFieldsProps) {
  const { t } = useTranslation();
  const sound = SOUNDS.find((name) => name === wording.sound);
  return (
    <Select
      label={t("wording.sound")}
      description={t("wording.soundHint")}
      clearable
      clearButtonProps={{ "aria-label": t("wording.noSound") }}
      placeholder={t("wording.noSound")}
      data={SOUNDS}
      value={sound ?? null}
      error={errorOf("sound")}
      onChange={(selected) => onChange({ sound: selected ?? "" })}
      leftSection={
        sound !== undefined && (
          <ActionIcon
            variant="subtle"
            aria-label={t("wording.listen", { sound })}
            onClick={() => void playSound(sound).catch(showError)}
          >
            <IconVolume size={16} aria-hidden />
          </ActionIcon>
        )
      }
    />
  );
}

/** Order of an input's parts. The description is below it, because it appears during typing and must not move the input. */
const INPUT_ORDER: ("label" | "input" | "description" | "error")[] = [
  "label",
  "input",
  "description",
  "error",
];

function formatRemaining(text: string, limit: number): string | null {
  const remaining = remainingCharacters(text, limit);
  if (remaining === null) return null;
  return remaining < 0
    ? i18next.t("wording.over", { count: -remaining })
    : i18next.t("wording.left", { count: remaining });
}

function noError(): null {
  return null;
}
