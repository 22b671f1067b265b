import { Button, Fieldset, MultiSelect, NumberInput, Stack } from "@mantine/core";
import { IconTrash } from "@tabler/icons-react";
import { LIMITS } from "@tocsin/sdk";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { DraftStep, StepProblem } from "./draft.ts";
import { formatStepTime } from "./policy-steps.tsx";
import type { TargetOptionGroup } from "./target-options.ts";

interface StepFieldsProps {
  readonly step: DraftStep;
  /** Counted from 1. */
  readonly number: number;
  readonly options: readonly TargetOptionGroup[];
  /** Null before the first attempt to save, or if the step has none. */
  readonly problem: StepProblem | null;
  readonly onChange: (step: DraftStep) => void;
  readonly onRemove: () => void;
}

const SECONDS_PER_MINUTE = 60;

/** The fields of one step: its time after the alarm, and whom it rings. The time of the first step is fixed. */
export function StepFields({
  step,
  number,
  options,
  problem,
  onChange,
  onRemove,
}: StepFieldsProps) {
  const { t } = useTranslation();
  const { afterSeconds, targets } = step;
  const time = afterSeconds === null ? "…" : formatStepTime(t, afterSeconds);
  return (
    <Fieldset legend={t("policy.step", { number, time })} radius="md">
      <Stack gap="sm">
        {number > 1 && (
          <TimeField
            initialSeconds={afterSeconds}
            hasError={problem === "later"}
            onChange={(seconds) => onChange({ ...step, afterSeconds: seconds })}
          />
        )}
        <TargetSelect
          targets={targets}
          options={options}
          hasError={problem === "noTarget"}
          onChange={(values) => onChange({ ...step, targets: values })}
        />
        {number > 1 && (
          <Button
            variant="subtle"
            color="red"
            size="compact-sm"
            mr="auto"
            leftSection={<IconTrash size={14} aria-hidden />}
            onClick={onRemove}
          >
            {t("policy.removeStep", { number })}
          </Button>
        )}
      </Stack>
    </Fieldset>
  );
}

interface TimeFieldProps {
  readonly initialSeconds: number | null;
  readonly hasError: boolean;
  readonly onChange: (seconds: number | null) => void;
}

/** A field for the minutes after the alarm. It keeps the typed text, because `1.` is not yet a number. */
function TimeField({ initialSeconds, hasError, onChange }: TimeFieldProps) {
  const { t } = useTranslation();
  const [minutes, setMinutes] = useState<number | string>(
    initialSeconds === null ? "" : initialSeconds / SECONDS_PER_MINUTE,
  );
  const change = (value: number | string) => {
    setMinutes(value);
    const seconds = Math.round(Number(value) * SECONDS_PER_MINUTE);
    onChange(value === "" || Number.isNaN(seconds) ? null : seconds);
  };
  return (
    <NumberInput
      label={t("policy.minutes")}
      min={0}
      max={LIMITS.escalationSecondsMax / SECONDS_PER_MINUTE}
      decimalScale={2}
      allowedDecimalSeparators={[".", ","]}
      allowNegative={false}
      hideControls
      value={minutes}
      error={hasError ? t("policy.later") : null}
      onChange={change}
    />
  );
}

interface TargetSelectProps {
  /** Targets as `formatTarget` writes them. */
  readonly targets: readonly string[];
  readonly options: readonly TargetOptionGroup[];
  readonly hasError: boolean;
  readonly onChange: (targets: string[]) => void;
}

/** A select for several targets. Its list closes after each choice, because it covers the buttons below. */
function TargetSelect({ targets, options, hasError, onChange }: TargetSelectProps) {
  const { t } = useTranslation();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <MultiSelect
      label={t("policy.rings")}
      placeholder={targets.length === 0 ? t("policy.ringsPlaceholder") : ""}
      data={options.map(({ group, items }) => ({ group, items: [...items] }))}
      value={[...targets]}
      maxValues={LIMITS.escalationTargetsPerStep}
      searchable
      hidePickedOptions
      nothingFoundMessage={t("shell.searchEmpty")}
      error={hasError ? t("policy.noTarget") : null}
      dropdownOpened={isOpen}
      onDropdownOpen={() => setIsOpen(true)}
      onDropdownClose={() => setIsOpen(false)}
      onOptionSubmit={() => setIsOpen(false)}
      onChange={onChange}
    />
  );
}
