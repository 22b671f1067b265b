import { useTranslation } from "react-i18next";
import { durationText } from "./duration.ts";
import { useNow } from "./use-now.ts";

/** Time left until a given time, an RFC 3339 string, updated every second. */
export function Countdown({ to }: { readonly to: string }) {
  const { t } = useTranslation();
  const leftMs = Date.parse(to) - useNow(true);
  return (
    <time dateTime={to}>
      {leftMs < 1_000 ? t("log.nextNow") : t("log.nextIn", { time: durationText(leftMs) })}
    </time>
  );
}
