import { Button, NativeSelect, TextInput } from "@mantine/core";
import { IconSearch, IconX } from "@tabler/icons-react";
import { DELIVERY_FATES, type DeliveryFate } from "@tocsin/sdk";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { codeWords } from "./code-words.ts";
import { Choices } from "./choices.tsx";
import { FateChips } from "./fate-chips.tsx";
import classes from "./filter-bar.module.css";
import { dayBefore, isFiltered, periodText, type LogSearch } from "./log-search.ts";

export interface FilterBarProps {
  readonly search: LogSearch;
  /** Receives the whole new search. */
  readonly onChange: (search: LogSearch) => void;
}

const FATES = Object.keys(DELIVERY_FATES) as DeliveryFate[]; // The keys of a constant.

/** Filters of the log; all of them are in the address. */
export function FilterBar({ search, onChange }: FilterBarProps) {
  const { t } = useTranslation();
  const set = (change: { readonly [Name in keyof LogSearch]?: LogSearch[Name] | "" }) => {
    const all = Object.entries({ ...search, ...change });
    onChange(Object.fromEntries(all.filter(([, value]) => value !== "" && value !== undefined)));
  };
  return (
    <search className={classes["filters"]} aria-label={t("log.filters")}>
      <div className={classes["line"]}>
        <TextFilter value={search.q ?? ""} onChange={(q) => set({ q })} />
        <FateChips
          fates={FATES}
          chosen={search.state ?? null}
          onChoose={(state) => set({ state: state ?? "" })}
        />
      </div>
      <div className={classes["line"]}>
        <Choices search={search} set={set} />
        <Period search={search} onChange={onChange} />
        {search.code !== undefined && (
          <Button
            variant="light"
            rightSection={<IconX size={16} aria-hidden />}
            aria-label={t("log.anyReason", { reason: codeWords(search.code) })}
            onClick={() => set({ code: "" })}
          >
            {codeWords(search.code)}
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

const TYPING_MS = 300;
const TEXT_MAX = 100;

/** Text filter that searches after a pause in typing. */
function TextFilter({
  value,
  onChange,
}: {
  readonly value: string;
  readonly onChange: (text: string) => void;
}) {
  const { t } = useTranslation();
  const [text, setText] = useState(value);
  const [asked, setAsked] = useState(value);
  // The address changed by itself: by going back, or by clearing all filters.
  if (asked !== value) {
    setAsked(value);
    setText(value);
  }
  useEffect(() => {
    if (text === value) return;
    const timer = setTimeout(() => onChange(text), TYPING_MS);
    return () => clearTimeout(timer);
  });
  return (
    <TextInput
      type="search"
      className={classes["text"] ?? ""}
      aria-label={t("log.search")}
      placeholder={t("log.searchHint")}
      leftSection={<IconSearch size={16} aria-hidden />}
      maxLength={TEXT_MAX}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
    />
  );
}

/** Periods in days, up to and including today. */
const DAYS = [1, 7, 30, 90] as const;

function Period({ search, onChange }: FilterBarProps) {
  const { t } = useTranslation();
  const { from, to, ...rest } = search;
  const value = [from, to].join("/");
  const choices = DAYS.map((count) => {
    const label = count === 1 ? t("log.today") : t("log.lastDays", { count });
    return { value: `${dayBefore(count - 1)}/`, label };
  });
  // Links from elsewhere may name other days.
  const isNamed = value === "/" || choices.some((choice) => choice.value === value);
  const other = isNamed ? [] : [{ value, label: periodText(from, to) }];
  return (
    <NativeSelect
      aria-label={t("log.period")}
      className={classes["choice"] ?? ""}
      data={[{ value: "/", label: t("log.anyTime") }, ...choices, ...other]}
      value={value}
      onChange={(event) => {
        const [first = "", last = ""] = event.currentTarget.value.split("/");
        const days = {
          ...(first === "" ? {} : { from: first }),
          ...(last === "" ? {} : { to: last }),
        };
        onChange({ ...rest, ...days });
      }}
    />
  );
}
