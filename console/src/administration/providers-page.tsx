import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Page } from "../page/page.tsx";
import { QueryContent } from "../page/query-states.tsx";
import { providersQuery } from "./administration-queries.ts";
import { IphoneWakingCard } from "./iphone-waking-card.tsx";
import { ProviderCard } from "./provider-card.tsx";

/** The push providers: their setup and their state. */
export function ProvidersPage() {
  const { t } = useTranslation();
  const query = useQuery(providersQuery);
  return (
    <Page title={t("provider.title")} text={t("provider.text")}>
      <QueryContent query={query}>
        {(providers) =>
          providers.map((status) => <ProviderCard key={status.provider} status={status} />)
        }
      </QueryContent>
      <IphoneWakingCard />
    </Page>
  );
}
