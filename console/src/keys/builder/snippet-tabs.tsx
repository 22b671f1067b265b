import { Alert, Tabs, Text } from "@mantine/core";
import { IconAlertTriangle, IconInfoCircle } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { CopyableText } from "../../page/copyable-text.tsx";
import classes from "./builder.module.css";
import type { SendRequest } from "./send-request.ts";
import {
  SNIPPETS_WITH_KEY_IN_URL,
  formatWebhookCommand,
  SNIPPET_FORMATTERS,
  type SnippetName,
} from "./snippets.ts";

interface SnippetTabsProps {
  readonly request: SendRequest;
  /** Whether the request has a placeholder instead of a key. */
  readonly isKeyMissing: boolean;
  /** Whether the key may be POST-only, so that opening the webhook URL sends nothing. */
  readonly isPostOnly: boolean;
}

/** The names of the snippets. They are the same in every language, unlike the name of the webhook. */
const SNIPPET_NAMES = {
  curl: "curl",
  javascript: "JavaScript",
  python: "Python",
  powershell: "PowerShell",
  githubActions: "GitHub Actions",
  uptimeKuma: "Uptime Kuma",
  grafana: "Grafana",
} as const satisfies Readonly<Record<Exclude<SnippetName, "webhook">, string>>;

// SNIPPET_NAMES has an entry for each other tab.
const TABS = ["webhook", ...Object.keys(SNIPPET_NAMES)] as readonly SnippetName[];

/** The request as snippets for different programs, one per tab. */
export function SnippetTabs(props: SnippetTabsProps) {
  const { t } = useTranslation();
  return (
    <Tabs
      variant="pills"
      className={classes["snippets"] ?? ""}
      defaultValue="webhook"
      keepMounted={false}
    >
      <Tabs.List className={classes["tabs"] ?? ""} aria-label={t("builder.snippets")}>
        {TABS.map((name) => (
          <Tabs.Tab key={name} value={name}>
            {name === "webhook" ? t("builder.webhook") : SNIPPET_NAMES[name]}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {TABS.map((name) => (
        <Tabs.Panel key={name} value={name} className={classes["panel"] ?? ""}>
          <Snippet name={name} {...props} />
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}

function Snippet({
  name,
  request,
  isKeyMissing,
  isPostOnly,
}: SnippetTabsProps & { readonly name: SnippetName }) {
  const { t } = useTranslation();
  const hasKeyInUrl = SNIPPETS_WITH_KEY_IN_URL.has(name);
  if (hasKeyInUrl && request.groupId !== "") {
    return (
      <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />} title={t("builder.noGroup")}>
        {t("builder.noGroupText")}
      </Alert>
    );
  }
  const needsPost = name === "webhook" && isPostOnly;
  return (
    <>
      <Text size="sm">{needsPost ? t("builder.postOnly") : t(`builder.steps.${name}`)}</Text>
      <CopyableText
        name={name === "webhook" ? t("builder.webhook") : SNIPPET_NAMES[name]}
        text={needsPost ? formatWebhookCommand(request) : SNIPPET_FORMATTERS[name](request)}
      />
      {isKeyMissing && name !== "githubActions" && (
        <Text size="sm" c="dimmed">
          {t("builder.keyMissing")}
        </Text>
      )}
      {hasKeyInUrl && (
        <Alert color="gray" icon={<IconInfoCircle aria-hidden />}>
          {t("builder.secretUrl")}
        </Alert>
      )}
    </>
  );
}
