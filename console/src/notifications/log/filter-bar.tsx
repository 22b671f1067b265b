import { Button, NativeSelect, TextInput } from "@mantine/core";
import { IconSearch, IconX } from "@tabler/icons-react";
import { DELIVERY_STATE_GROUPS, type DeliveryStateGroup } from "@tocsin/sdk";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { describeCode } from "./describe-code.ts";
import { ChannelKeyDeviceFilters } from "./channel-key-device-filters.tsx";
import { StateGroupChips } from "./state-group-chips.tsx";
import classes from "./filter-bar.module.css";
import { getPastDay, isFiltered, formatPeriod, type LogSearch } from "./log-search.ts";

interface FilterBarProps {
  readonly search: LogSearch;
  /** Called with the complete new search. */
  readonly onChange: (search: LogSearch) => void;
}

// `Object.keys` returns exactly the keys of DELIVERY_STATE_GROUPS.
const STATE_GROUPS = Object.keys(DELIVERY_STATE_GROUPS) as DeliveryStateGroup[];

/** The filters of the log. All of them are in the page's query. */
export function FilterBar({ search, onChange }: FilterBarProps) {
  const { t } = useTranslation();
  const update = (change: { readonly [Name in keyof LogSearch]?: LogSearch[Name] | "" }) => {
    const entries = Object.entries({ ...search, ...change });
    onChange(
      Object.fromEntries(entries.filter(([, value]) => value !== "" && value !== undefined)),
    );
  };
  return (
    <search className={classes["filters"]} aria-label={t("log.filters")}>
      <div className={classes["line"]}>
        <TextFilter value={search.q ?? ""} onChange={(q) => update({ q })} />
        <StateGroupChips
          groups={STATE_GROUPS}
          selected={search.state ?? null}
          onSelect={(state) => update({ state: state ?? "" })}
        />
      </div>
      <div className={classes["line"]}>
        <ChannelKeyDeviceFilters search={search} onChange={update} />
        <PeriodFilter search={search} onChange={onChange} />
        {search.code !== undefined && (
          <Button
            variant="light"
            rightSection={<IconX size={16} aria-hidden />}
            aria-label={t("log.anyReason", { reason: describeCode(search.code) })}
            onClick={() => update({ code: "" })}
          >
            {describeCode(search.code)}
          </Button>
        )}
        {isFiltered(search) && (
          <Button
            variant="subtle"
            leftSection={<IconX size={16} aria-hidden />}
            onClick={() => onChange({})}
          >
            {t("log.clear")}
          </Button>
        )}
      </div>
    </search>
  );
}

const DEBOUNCE_MS = 300;
const TEXT_LENGTH_MAX = 100;

/** A text filter that searches after a pause in typing. */
function TextFilter({
  value,
  onChange,
}: {
  readonly value: string;
  readonly onChange: (text: string) => void;
}) {
  const { t } = useTranslation();
  const [text, setText] = useState(value);
  const [previousValue, setPreviousValue] = useState(value);
  // The value changed without typing: by the back button, or because all filters were cleared.
  if (previousValue !== value) {
    setPreviousValue(value);
    setText(value);
  }
  useEffect(() => {
    if (text === value) return;
    const timer = setTimeout(() => onChange(text), DEBOUNCE_MS);
    return () => clearTimeout(timer);
  });
  return (
    <TextInput
      type="search"
      className={classes["text"] ?? ""}
      aria-label={t("log.search")}
      placeholder={t("log.searchHint")}
      leftSection={<IconSearch size={16} aria-hidden />}
      maxLength={TEXT_LENGTH_MAX}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
    />
  );
}

/** Lengths of the periods in days, including today. */
const PERIOD_DAYS = [1, 7, 30, 90] as const;

function PeriodFilter({ search, onChange }: FilterBarProps) {
  const { t } = useTranslation();
  const { from, to, ...otherFilters } = search;
  const value = [from, to].join("/");
  const options = PERIOD_DAYS.map((count) => {
    const label = count === 1 ? t("log.today") : t("log.lastDays", { count });
    return { value: `${getPastDay(count - 1)}/`, label };
  });
  // A link can contain another period.
  const isListed = value === "/" || options.some((option) => option.value === value);
  const unlistedOptions = isListed ? [] : [{ value, label: formatPeriod(from, to) }];
  return (
    <NativeSelect
      aria-label={t("log.period")}
      className={classes["choice"] ?? ""}
      data={[{ value: "/", label: t("log.anyTime") }, ...options, ...unlistedOptions]}
      value={value}
      onChange={(event) => {
        const [first = "", last = ""] = event.currentTarget.value.split("/");
        const days = {
          ...(first === "" ? {} : { from: first }),
          ...(last === "" ? {} : { to: last }),
        };
        onChange({ ...otherFilters, ...days });
      }}
    />
  );
}
