import { ActionIcon, Autocomplete, Select, Switch, Textarea, TextInput } from "@mantine/core";
import { IconVolume } from "@tabler/icons-react";
import { CONTENT_FIELDS, DEFAULT_CHANNEL, LIMITS, SOUNDS } from "@tocsin/sdk";
import { useQuery } from "@tanstack/react-query";
import i18next from "i18next";
import { useTranslation } from "react-i18next";
import { fail } from "../../page/toasts.ts";
import { hear } from "../sound/sounds.ts";
import { channelsQuery } from "../feed/feed-queries.ts";
import { fieldsAt, type FieldAt } from "../content/places.ts";
import type { Wording } from "../content/wording.ts";
import { roomLeft } from "./room-left.ts";

export interface WordingFieldsProps {
  readonly wording: Wording;
  readonly onChange: (changed: Partial<Wording>) => void;
  /** Returns the server's error for a field, by its name in a request. */
  readonly errorOf?: (field: string) => string | null;
}

/** Fields for the content of a notification: title and text. */
export function WordFields({ wording, onChange, errorOf = noError }: WordingFieldsProps) {
  const { t } = useTranslation();
  return (
    <>
      <TextInput
        name="title"
        label={t("wording.title")}
        inputWrapperOrder={ORDER}
        description={toldRoom(wording.title, LIMITS.titleLength)}
        value={wording.title}
        error={errorOf("title")}
        onChange={({ currentTarget: { value } }) => onChange({ title: value })}
      />
      <Textarea
        name="body"
        label={t("wording.body")}
        inputWrapperOrder={ORDER}
        autosize
        minRows={3}
        maxRows={8}
        description={toldRoom(wording.body, LIMITS.bodyLength)}
        value={wording.body}
        error={errorOf("body")}
        onChange={({ currentTarget: { value } }) => onChange({ body: value })}
      />
    </>
  );
}

/** Fields for the presentation of a notification: channel, sound, addresses, urgency. */
export function MannerFields(props: WordingFieldsProps) {
  return fieldsAt("form", "manner").map((field) => (
    <Control key={field} field={field} {...props} />
  ));
}

type MannerField = FieldAt<"form", "manner">;

function Control(props: WordingFieldsProps & { readonly field: MannerField }) {
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

function ChannelField({ wording, onChange, errorOf = noError }: WordingFieldsProps) {
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

function SoundField({ wording, onChange, errorOf = noError }: WordingFieldsProps) {
  const { t } = useTranslation();
  const known = SOUNDS.find((name) => name === wording.sound);
  return (
    <Select
      label={t("wording.sound")}
      description={t("wording.soundHint")}
      clearable
      clearButtonProps={{ "aria-label": t("wording.noSound") }}
      placeholder={t("wording.noSound")}
      data={SOUNDS}
      value={known ?? null}
      error={errorOf("sound")}
      onChange={(sound) => onChange({ sound: sound ?? "" })}
      leftSection={
        known !== undefined && (
          <ActionIcon
            variant="subtle"
            aria-label={t("wording.listen", { sound: known })}
            onClick={() => void hear(known).catch(fail)}
          >
            <IconVolume size={16} aria-hidden />
          </ActionIcon>
        )
      }
    />
  );
}

/** The note on the characters left appears during typing, and must not move the field. */
const ORDER: ("label" | "input" | "description" | "error")[] = [
  "label",
  "input",
  "description",
  "error",
];

function toldRoom(text: string, max: number): string | null {
  const left = roomLeft(text, max);
  if (left === null) return null;
  return left < 0
    ? i18next.t("wording.over", { count: -left })
    : i18next.t("wording.left", { count: left });
}

function noError(): null {
  return null;
}
