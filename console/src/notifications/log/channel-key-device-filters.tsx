import { NativeSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { channelsQuery } from "../feed/feed-queries.ts";
import { useDeviceOptions, useKeyOptions, type OptionGroup } from "./option-groups.ts";
import classes from "./filter-bar.module.css";
import type { LogSearch } from "./log-search.ts";

interface OptionFiltersProps {
  readonly search: LogSearch;
  readonly onChange: (change: Pick<LogSearch, "channel" | "key" | "device">) => void;
}

/** Selects that filter by channel, key and device, including the keys and devices of managed teams. */
export function OptionFilters({ search, onChange }: OptionFiltersProps) {
  const { t } = useTranslation();
  const { data: channels = [] } = useQuery(channelsQuery);
  const keys = useKeyOptions();
  const devices = useDeviceOptions();
  return (
    <>
      <OptionFilter
        label={t("log.channel")}
        allLabel={t("log.allChannels")}
        value={search.channel}
        groups={[
          { heading: "", items: channels.map(({ name }) => ({ value: name, label: name })) },
        ]}
        onChange={(channel) => onChange({ channel })}
      />
      <OptionFilter
        label={t("log.key")}
        allLabel={t("log.allKeys")}
        value={search.key}
        groups={keys}
        onChange={(key) => onChange({ key })}
      />
      <OptionFilter
        label={t("log.device")}
        allLabel={t("log.allDevices")}
        value={search.device}
        groups={devices}
        onChange={(device) => onChange({ device })}
      />
    </>
  );
}

interface OptionFilterProps {
  readonly label: string;
  readonly allLabel: string;
  readonly value: string | undefined;
  readonly groups: readonly OptionGroup[];
  readonly onChange: (value: string) => void;
}

function OptionFilter({ label, allLabel, value = "", groups, onChange }: OptionFilterProps) {
  // A value in the page's query may no longer exist, but remains selected.
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

/** Returns the groups as data of a select. A single group needs no heading. */
function toSelectData(groups: readonly OptionGroup[]) {
  const nonEmptyGroups = groups.filter(({ items }) => items.length > 0);
  return nonEmptyGroups.length > 1
    ? nonEmptyGroups.map(({ heading, items }) => ({ group: heading, items: [...items] }))
    : nonEmptyGroups.flatMap(({ items }) => items);
}
