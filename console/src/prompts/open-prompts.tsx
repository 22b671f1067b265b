import { Title } from "@mantine/core";
import { IconMessageQuestion } from "@tabler/icons-react";
import type { Prompt } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import { PriorityBadge } from "../notifications/feed/priority-badge.tsx";
import { ButtonLink } from "../page/button-link.tsx";
import { List, ListItem } from "../page/list.tsx";
import { PATHS } from "../paths.ts";
import { sortByUrgency } from "./prompt-facts.ts";
import { PromptSummary } from "./prompt-row.tsx";

/** The open prompts of a person, the ringing ones at the top, each with the ways to answer it. */
export function OpenPrompts({ prompts }: { readonly prompts: readonly Prompt[] }) {
  const { t } = useTranslation();
  return (
    <>
      <Title order={2} size="h4">
        {t("prompt.openOnes")}
      </Title>
      <List label={t("prompt.openOnes")}>
        {sortByUrgency(prompts).map((prompt) => (
          <OpenPrompt key={prompt.id} prompt={prompt} />
        ))}
      </List>
    </>
  );
}

function OpenPrompt({ prompt }: { readonly prompt: Prompt }) {
  const { t } = useTranslation();
  const title = prompt.title === "" ? t("prompt.card") : prompt.title;
  return (
    <ListItem
      icon={IconMessageQuestion}
      title={title}
      id={prompt.id}
      badge={<PriorityBadge priority={prompt.priority} />}
      actions={
        <ButtonLink
          to={PATHS.notification}
          params={{ id: prompt.notificationId }}
          variant="default"
          aria-label={`${t("incident.open")}: ${title}`}
        >
          {t("incident.open")}
        </ButtonLink>
      }
    >
      <PromptSummary prompt={prompt} isAnswerable />
    </ListItem>
  );
}
