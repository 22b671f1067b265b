import { Button, Group, NumberInput } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { ServerSettings } from "@tocsin/sdk";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { client } from "../client.ts";
import { Card } from "../page/card.tsx";
import { QueryContent } from "../page/query-states.tsx";
import { showToast } from "../page/toasts.ts";
import { useAction } from "../page/use-action.ts";
import { AdministrationFrame } from "./administration-frame.tsx";
import { settingsQuery } from "./administration-queries.ts";
import { FixedSettingNotice, SignUpChoice } from "./sign-up-choice.tsx";

/** The rules for sign-up and for the retention of notifications. */
export function RulesPage() {
  const { t } = useTranslation();
  const query = useQuery(settingsQuery);
  return (
    <AdministrationFrame>
      <QueryContent query={query}>
        {({ signUp, retentionDays }) => (
          <>
            <Card title={t("admin.signUpPolicy")}>
              <SignUpChoice signUp={signUp} />
            </Card>
            <Card title={t("admin.retention")}>
              <RetentionSetting retentionDays={retentionDays} />
            </Card>
          </>
        )}
      </QueryContent>
    </AdministrationFrame>
  );
}

const RETENTION_DAYS_MAX = 3_650;

function RetentionSetting({ retentionDays }: Pick<ServerSettings, "retentionDays">) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const [days, setDays] = useState<number | string>(retentionDays.value);
  const { start, isRunning } = useAction(async () => {
    const settings = await client.admin.settings.update({ retentionDays: Number(days) });
    queryClient.setQueryData(settingsQuery.queryKey, settings);
    showToast(t("admin.changed"));
  });
  const isFixed = retentionDays.fixedBy !== null;
  return (
    <>
      <Group align="end">
        <NumberInput
          size="sm"
          label={t("admin.days")}
          description={t("admin.daysText")}
          min={1}
          max={RETENTION_DAYS_MAX}
          allowDecimal={false}
          disabled={isFixed}
          value={days}
          onChange={setDays}
          hideControls
        />
        {!isFixed && (
          <Button size="sm" variant="default" aria-disabled={isRunning} onClick={start}>
            {t("deviceList.save")}
          </Button>
        )}
      </Group>
      <FixedSettingNotice name={retentionDays.fixedBy} />
    </>
  );
}
