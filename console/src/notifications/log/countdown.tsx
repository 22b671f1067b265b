import { useTranslation } from "react-i18next";
import { formatDuration } from "./format-duration.ts";
import { useNow } from "./use-now.ts";

/** The remaining time until a time (an RFC 3339 string), updated every second. */
export function Countdown({ endsAt }: { readonly endsAt: string }) {
  const { t } = useTranslation();
  const remainingMs = Date.parse(endsAt) - useNow(true);
  return (
    <time dateTime={endsAt}>
      {remainingMs < 1_000
        ? t("log.nextNow")
        : t("log.nextIn", { time: formatDuration(remainingMs) })}
    </time>
  );
}
