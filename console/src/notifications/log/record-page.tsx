import { IconArrowLeft, IconSend, IconSendOff } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import type { NotificationDetail } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import { useAccount } from "../../accounts/account-context.ts";
import { ButtonLink } from "../../page/button-link.tsx";
import { Card } from "../../page/card.tsx";
import { Page } from "../../page/page.tsx";
import { EmptyState, Loaded } from "../../page/states.tsx";
import { PATHS } from "../../paths.ts";
import { keepDraft } from "../send/use-draft.ts";
import { Deliveries } from "./deliveries.tsx";
import { draftOf } from "./draft-of.ts";
import { totalOf } from "./fates.ts";
import { recordQuery } from "./log-queries.ts";
import { RecordSummary } from "./record-summary.tsx";

/** A sent notification, and its outcome on each device. */
export function RecordPage() {
  const { t } = useTranslation();
  const { id = "" } = useParams({ strict: false });
  const record = useQuery(recordQuery(id));
  const back = (
    <ButtonLink
      to={PATHS.log}
      variant="default"
      size="xs"
      leftSection={<IconArrowLeft size={16} aria-hidden />}
    >
      {t("log.back")}
    </ButtonLink>
  );
  const sent = record.data;
  const actions = (
    <>
      {back}
      {sent !== null && sent !== undefined && <SendAgain record={sent} />}
    </>
  );
  return (
    <Page title={t("log.one")} actions={actions}>
      <Loaded query={record}>
        {(found) =>
          found === null ? (
            <Card>
              <EmptyState icon={IconSendOff} title={t("log.gone")} text={t("feed.goneText")} />
            </Card>
          ) : (
            <Sent record={found} />
          )
        }
      </Loaded>
    </Page>
  );
}

/** Opens the page for sending with the same content. */
function SendAgain({ record }: { readonly record: NotificationDetail }) {
  const { t } = useTranslation();
  const { id: accountId } = useAccount();
  return (
    <ButtonLink
      to={PATHS.send}
      size="xs"
      leftSection={<IconSend size={16} aria-hidden />}
      onClick={() => keepDraft(accountId, draftOf(record))}
    >
      {t("log.again")}
    </ButtonLink>
  );
}

function Sent({ record }: { readonly record: NotificationDetail }) {
  const { t } = useTranslation();
  return (
    <>
      <RecordSummary record={record} />
      {totalOf(record.counts) === 0 ? (
        <Card>
          <EmptyState icon={IconSend} title={t("log.nobody")} text={t("log.nobodyText")} />
        </Card>
      ) : (
        <Deliveries record={record} />
      )}
    </>
  );
}
