import { Text } from "@mantine/core";
import type { EscalationPolicy, ReachedTarget } from "@tocsin/sdk";
import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import { formatTarget } from "./draft.ts";
import { formatDelay } from "./format-delay.ts";
import classes from "./policy-steps.module.css";

/** The steps of a policy as sentences, with the devices and people that each target would reach now. */
export function PolicySteps({ policy: { steps } }: { readonly policy: EscalationPolicy }) {
  const { t } = useTranslation();
  return (
    <ol className={classes["steps"]}>
      {steps.map(({ afterSeconds, targets }) => (
        <li key={afterSeconds} className={classes["step"]}>
          <Text size="sm" c="dimmed">
            {formatStepTime(t, afterSeconds)}
          </Text>
          <div className={classes["targets"]}>
            {targets.map((target) => (
              <Text key={formatTarget(target)} size="sm">
                {formatTargetName(t, target)}{" "}
                <Text
                  span
                  size="sm"
                  c={target.reachesNobody ? "var(--mantine-color-error)" : "dimmed"}
                >
                  {formatReach(t, target)}
                </Text>
              </Text>
            ))}
          </div>
        </li>
      ))}
    </ol>
  );
}

/** Returns the time of a step, such as `After 5 min`. */
export function formatStepTime(t: TFunction, afterSeconds: number): string {
  if (afterSeconds === 0) return t("policy.atOnce");
  return t("policy.after", { delay: formatDelay(afterSeconds) });
}

/** Returns the name of a target. For a group or device of another member, the text names only that member. */
export function formatTargetName(t: TFunction, target: ReachedTarget): string {
  const { kind, ownerName } = target;
  const name = target.name ?? t(`policy.gone.${kind}`);
  switch (kind) {
    case "me":
    case "team":
    case "callback":
      return t(`policy.target.${kind}`);
    case "mail":
      return target.missing ? name : t("policy.target.mail", { name });
    case "group":
    case "device":
      return target.name === null && ownerName !== undefined
        ? t(`policy.target.${kind}`, { name: ownerName })
        : name;
    case "member":
      return name;
  }
}

/**
 * Returns a text about the devices and people that a target would reach now. It is empty for an email or a callback
 * that reaches somebody.
 */
export function formatReach(t: TFunction, target: ReachedTarget): string {
  const { kind, deviceCount, personCount } = target;
  if (target.reachesNobody) {
    return t(kind === "mail" && !target.missing ? "policy.noMail" : "policy.nobody");
  }
  if (kind === "callback" || kind === "mail") return "";
  const devices = t("policy.devices", { count: deviceCount });
  if (kind !== "team") return devices;
  return `${devices} ${t("policy.people", { count: personCount })}`;
}
