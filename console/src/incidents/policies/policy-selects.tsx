import { Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { teamsQuery } from "../../teams/team-queries.ts";
import { formatDelay } from "./format-delay.ts";

interface OwnerSelectProps {
  /** Null for a policy of the account. */
  readonly teamId: string | null;
  readonly onChange: (teamId: string | null) => void;
}

/** The value of the option for the account, which has no team id. */
const OWN_VALUE = "own";

/** A select for the owner of a new policy; nothing for an account that manages no team. */
export function OwnerSelect({ teamId, onChange }: OwnerSelectProps) {
  const { t } = useTranslation();
  const { data: teams = [] } = useQuery(teamsQuery);
  const managedTeams = teams.filter(({ role }) => role !== "member");
  if (managedTeams.length === 0) return null;
  return (
    <Select
      label={t("policy.owner")}
      description={t("policy.ownerHint")}
      allowDeselect={false}
      data={[
        { value: OWN_VALUE, label: t("policy.own") },
        ...managedTeams.map(({ id, name }) => ({ value: id, label: name })),
      ]}
      value={teamId ?? OWN_VALUE}
      onChange={(value) => onChange(value === OWN_VALUE ? null : value)}
    />
  );
}

/** The reminders to choose from, in seconds. */
const REMINDERS = [300, 900, 1_800, 3_600, 14_400, 28_800, 86_400, 604_800] as const;

interface ReminderSelectProps {
  /** Null for no reminder. */
  readonly value: number | null;
  readonly onChange: (seconds: number | null) => void;
}

/** A select for the time after which an acknowledged emergency rings again. */
export function ReminderSelect({ value, onChange }: ReminderSelectProps) {
  const { t } = useTranslation();
  // The app API may have set any other reminder.
  const reminders = new Set([...REMINDERS, ...(value === null ? [] : [value])]);
  return (
    <Select
      label={t("policy.remind")}
      description={t("policy.remindHint")}
      allowDeselect={false}
      data={[
        { value: "never", label: t("policy.never") },
        ...[...reminders]
          .toSorted((one, other) => one - other)
          .map((seconds) => ({
            value: String(seconds),
            label: t("policy.after", { delay: formatDelay(seconds) }),
          })),
      ]}
      value={value === null ? "never" : String(value)}
      onChange={(selected) => onChange(selected === "never" ? null : Number(selected))}
    />
  );
}
