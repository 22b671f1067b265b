import { NativeSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { channelsQuery } from "../feed/feed-queries.ts";
import { useDeviceChoices, useKeyChoices, type ChoiceGroup } from "./choice-groups.ts";
import classes from "./filter-bar.module.css";
import type { LogSearch } from "./log-search.ts";

interface ChoicesProps {
  readonly search: LogSearch;
  readonly set: (change: Pick<LogSearch, "channel" | "key" | "device">) => void;
}

/** Filters by channel, key and device, including those of managed teams. */
export function Choices({ search, set }: ChoicesProps) {
  const { t } = useTranslation();
  const { data: channels = [] } = useQuery(channelsQuery);
  const keys = useKeyChoices();
  const devices = useDeviceChoices();
  return (
    <>
      <Choice
        name={t("log.channel")}
        all={t("log.allChannels")}
        value={search.channel}
        groups={[{ group: "", items: channels.map(({ name }) => ({ value: name, label: name })) }]}
        onChange={(channel) => set({ channel })}
      />
      <Choice
        name={t("log.key")}
        all={t("log.allKeys")}
        value={search.key}
        groups={keys}
        onChange={(key) => set({ key })}
      />
      <Choice
        name={t("log.device")}
        all={t("log.allDevices")}
        value={search.device}
        groups={devices}
        onChange={(device) => set({ device })}
      />
    </>
  );
}

interface ChoiceProps {
  readonly name: string;
  readonly all: string;
  readonly value: string | undefined;
  readonly groups: readonly ChoiceGroup[];
  readonly onChange: (value: string) => void;
}

function Choice({ name, all, value = "", groups, onChange }: ChoiceProps) {
  // A value from an address may be gone, but is searched for all the same.
  const isKnown =
    value === "" || groups.some(({ items }) => items.some((item) => item.value === value));
  const unknown = isKnown ? [] : [{ value, label: value }];
  return (
    <NativeSelect
      aria-label={name}
      className={classes["choice"] ?? ""}
      data={[{ value: "", label: all }, ...unknown, ...flat(groups)]}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

/** A single group needs no heading. */
function flat(groups: readonly ChoiceGroup[]) {
  const there = groups.filter(({ items }) => items.length > 0);
  return there.length > 1
    ? there.map(({ group, items }) => ({ group, items: [...items] }))
    : there.flatMap(({ items }) => items);
}
