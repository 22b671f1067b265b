import { IconAlertTriangle } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { PROVIDER_LABELS, type ServiceTrouble } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import { useAccount } from "../accounts/account-context.ts";
import { getServiceName } from "../devices/device-facts.ts";
import { formatTimestamp } from "../page/timestamp.tsx";
import { PATHS } from "../paths.ts";
import { useServiceTroubles } from "./service-troubles-query.ts";
import classes from "./service-troubles.module.css";

/** Maximum number of lines, so that the page stays visible. The providers page shows all troubles to administrators. */
const LINES_MAX = 3;

/** A notice about push services in trouble. Administrators see the cause; others see that notifications are late. */
export function ServiceTroubles() {
  const { t } = useTranslation();
  const { isAdmin } = useAccount();
  const troubles = useServiceTroubles();
  const hiddenCount = troubles.length - LINES_MAX;
  return (
    <div role="status">
      {troubles.length > 0 && (
        <div className={classes["banner"]}>
          <IconAlertTriangle size={18} stroke={1.75} aria-hidden />
          <div>
            {troubles.slice(0, LINES_MAX).map((trouble) => (
              <p key={trouble.service}>
                <TroubleText trouble={trouble} isAdmin={isAdmin} />
              </p>
            ))}
            {hiddenCount > 0 && <p>{t("shell.trouble.more", { count: hiddenCount })}</p>}
          </div>
          {isAdmin && <Link to={PATHS.providers}>{t("shell.trouble.showDetails")}</Link>}
        </div>
      )}
    </div>
  );
}

interface TroubleTextProps {
  readonly trouble: ServiceTrouble;
  readonly isAdmin: boolean;
}

function TroubleText({ trouble, isAdmin }: TroubleTextProps) {
  const { t } = useTranslation();
  const { provider, service, cause, since, ownDeviceCount } = trouble;
  // A service name is a provider and its host or environment.
  const [, host = ""] = service.split(" ");
  const serviceName = getServiceName({ provider, endpointHost: host }) ?? host;
  if (!isAdmin) return t("shell.trouble.late", { service: serviceName, count: ownDeviceCount });
  const label = PROVIDER_LABELS[provider];
  const protocol = host === "sandbox" ? `${label} sandbox` : label;
  return t(`shell.trouble.${cause}`, {
    service: `${serviceName} (${protocol})`,
    when: formatTimestamp(since),
  });
}
