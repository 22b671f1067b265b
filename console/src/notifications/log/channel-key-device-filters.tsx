import { NativeSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { channelsQuery } from "../feed/feed-queries.ts";
import { useDeviceOptions, useKeyOptions, type OptionGroup } from "./option-groups.ts";
import classes from "./filter-bar.module.css";
import type { LogSearch } from "./log-search.ts";

interface ChannelKeyDeviceFiltersProps {
  readonly search: LogSearch;
  readonly onChange: (change: Pick<LogSearch, "channel" | "key" | "device">) => void;
}

/**
 * The log's filters for a channel, a key and a device. People can also choose keys and devices of the teams that they
 * manage.
 */
export function ChannelKeyDeviceFilters({ search, onChange }: ChannelKeyDeviceFiltersProps) {
  const { t } = useTranslation();
  const { data: channels = [] } = useQuery(channelsQuery);
  const keys = useKeyOptions();
  const devices = useDeviceOptions();
  return (
    <>
      <SelectFilter
        label={t("log.channel")}
        allLabel={t("log.allChannels")}
        value={search.channel}
        groups={[
          { heading: "", items: channels.map(({ name }) => ({ value: name, label: name })) },
        ]}
        onChange={(channel) => onChange({ channel })}
      />
      <SelectFilter
        label={t("log.key")}
        allLabel={t("log.allKeys")}
        value={search.key}
        groups={keys}
        onChange={(key) => onChange({ key })}
      />
      <SelectFilter
        label={t("log.device")}
        allLabel={t("log.allDevices")}
        value={search.device}
        groups={devices}
        onChange={(device) => onChange({ device })}
      />
    </>
  );
}

interface SelectFilterProps {
  readonly label: string;
  readonly allLabel: string;
  readonly value: string | undefined;
  readonly groups: readonly OptionGroup[];
  readonly onChange: (value: string) => void;
}

function SelectFilter({ label, allLabel, value = "", groups, onChange }: SelectFilterProps) {
  // The page's URL may select a channel, key or device that no longer exists. It stays selected.
  const isListed =
    value === "" || groups.some(({ items }) => items.some((item) => item.value === value));
  const unlistedOptions = isListed ? [] : [{ value, label: value }];
  return (
    <NativeSelect
      aria-label={label}
      className={classes["choice"] ?? ""}
      data={[{ value: "", label: allLabel }, ...unlistedOptions, ...toSelectData(groups)]}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

/** Returns the groups in the format of `NativeSelect`. A single group needs no heading. */
function toSelectData(groups: readonly OptionGroup[]) {
  const nonEmptyGroups = groups.filter(({ items }) => items.length > 0);
  return nonEmptyGroups.length > 1
    ? nonEmptyGroups.map(({ heading, items }) => ({ group: heading, items: [...items] }))
    : nonEmptyGroups.flatMap(({ items }) => items);
}
