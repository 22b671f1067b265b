import { IconArrowLeft, IconSend, IconSendOff } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import type { NotificationDetail } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import { useAccount } from "../../accounts/account-context.ts";
import { ButtonLink } from "../../page/button-link.tsx";
import { Card } from "../../page/card.tsx";
import { Page } from "../../page/page.tsx";
import { EmptyState, QueryContent } from "../../page/query-states.tsx";
import { PATHS } from "../../paths.ts";
import { storeDraft } from "../send/use-draft.ts";
import { Deliveries } from "./deliveries.tsx";
import { toDraft } from "./to-draft.ts";
import { countDevices } from "./state-groups.ts";
import { createRecordQuery } from "./log-queries.ts";
import { RecordSummary } from "./record-summary.tsx";

/** A sent notification and its outcome on each device. */
export function RecordPage() {
  const { t } = useTranslation();
  const { id = "" } = useParams({ strict: false });
  const recordQuery = useQuery(createRecordQuery(id));
  const backLink = (
    <ButtonLink
      to={PATHS.log}
      variant="default"
      size="xs"
      leftSection={<IconArrowLeft size={16} aria-hidden />}
    >
      {t("log.back")}
    </ButtonLink>
  );
  const record = recordQuery.data;
  const actions = (
    <>
      {backLink}
      {record !== null && record !== undefined && <SendAgainLink record={record} />}
    </>
  );
  return (
    <Page title={t("log.sentNotification")} actions={actions}>
      <QueryContent query={recordQuery}>
        {(data) =>
          data === null ? (
            <Card>
              <EmptyState icon={IconSendOff} title={t("log.gone")} text={t("feed.goneText")} />
            </Card>
          ) : (
            <RecordContent record={data} />
          )
        }
      </QueryContent>
    </Page>
  );
}

/** A link that opens the send page with the same content. */
function SendAgainLink({ record }: { readonly record: NotificationDetail }) {
  const { t } = useTranslation();
  const { id: accountId } = useAccount();
  return (
    <ButtonLink
      to={PATHS.send}
      size="xs"
      leftSection={<IconSend size={16} aria-hidden />}
      onClick={() => storeDraft(accountId, toDraft(record))}
    >
      {t("log.again")}
    </ButtonLink>
  );
}

function RecordContent({ record }: { readonly record: NotificationDetail }) {
  const { t } = useTranslation();
  return (
    <>
      <RecordSummary record={record} />
      {countDevices(record.counts) === 0 ? (
        <Card>
          <EmptyState icon={IconSend} title={t("log.noDevice")} text={t("log.noDeviceText")} />
        </Card>
      ) : (
        <Deliveries record={record} />
      )}
    </>
  );
}
