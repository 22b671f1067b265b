import { IconAlertTriangle } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { PROVIDER_LABELS, type ServiceTrouble } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import { useAccount } from "../accounts/account-context.ts";
import { serviceOf } from "../devices/device-facts.ts";
import { momentOf } from "../page/moment.tsx";
import { PATHS } from "../paths.ts";
import { useServiceTroubles } from "./service-troubles-query.ts";
import classes from "./service-troubles.module.css";

/** Lines that are shown: more would push the page away. An administrator sees all on the page about push services. */
const SHOWN_MAX = 3;

/** Notice of push services in trouble: administrators see what is wrong, others that their notifications are late. */
export function ServiceTroubles() {
  const { t } = useTranslation();
  const { isAdmin } = useAccount();
  const troubles = useServiceTroubles();
  const left = troubles.length - SHOWN_MAX;
  return (
    <div role="status">
      {troubles.length > 0 && (
        <div className={classes["banner"]}>
          <IconAlertTriangle size={18} stroke={1.75} aria-hidden />
          <div>
            {troubles.slice(0, SHOWN_MAX).map((trouble) => (
              <p key={trouble.service}>
                <Line trouble={trouble} isAdmin={isAdmin} />
              </p>
            ))}
            {left > 0 && <p>{t("shell.trouble.more", { count: left })}</p>}
          </div>
          {isAdmin && <Link to={PATHS.providers}>{t("shell.trouble.look")}</Link>}
        </div>
      )}
    </div>
  );
}

interface LineProps {
  readonly trouble: ServiceTrouble;
  readonly isAdmin: boolean;
}

function Line({ trouble, isAdmin }: LineProps) {
  const { t } = useTranslation();
  const { provider, service, cause, since, ownDeviceCount } = trouble;
  const [, place = ""] = service.split(" ");
  const maker = serviceOf({ provider, endpointHost: place });
  if (!isAdmin) return t("shell.trouble.late", { service: maker, count: ownDeviceCount });
  const label = PROVIDER_LABELS[provider];
  const way = place === "sandbox" ? `${label} sandbox` : label;
  return t(`shell.trouble.${cause}`, { service: `${maker} (${way})`, when: momentOf(since) });
}
