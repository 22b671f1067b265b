import { Alert, Tabs, Text } from "@mantine/core";
import { IconAlertTriangle, IconInfoCircle } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Copyable } from "../../page/copyable.tsx";
import classes from "./builder.module.css";
import type { SendRequest } from "./send-request.ts";
import { IN_ADDRESS, postToWebhook, SNIPPETS, type SnippetName } from "./snippets.ts";

interface SnippetTabsProps {
  readonly request: SendRequest;
  /** Whether a placeholder stands in for the key. */
  readonly isKeyMissing: boolean;
  /** Whether the key sends by POST alone, so that opening an address with it sends nothing. */
  readonly isPostOnly: boolean;
}

/** Names that are the same in every language. */
const NAMES = {
  curl: "curl",
  javascript: "JavaScript",
  python: "Python",
  powershell: "PowerShell",
  githubActions: "GitHub Actions",
  uptimeKuma: "Uptime Kuma",
  grafana: "Grafana",
} as const satisfies Readonly<Record<Exclude<SnippetName, "webhook">, string>>;

const ORDER = ["webhook", ...Object.keys(NAMES)] as readonly SnippetName[]; // The keys of NAMES.

/** The request as a snippet for each program that may send it. */
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
        {ORDER.map((name) => (
          <Tabs.Tab key={name} value={name}>
            {name === "webhook" ? t("builder.webhook") : NAMES[name]}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {ORDER.map((name) => (
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
  const isInAddress = IN_ADDRESS.has(name);
  if (isInAddress && request.groupId !== "") {
    return (
      <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />} title={t("builder.noGroup")}>
        {t("builder.noGroupText")}
      </Alert>
    );
  }
  const isPosted = name === "webhook" && isPostOnly;
  return (
    <>
      <Text size="sm">{isPosted ? t("builder.postOnly") : t(`builder.steps.${name}`)}</Text>
      <Copyable
        name={name === "webhook" ? t("builder.webhook") : NAMES[name]}
        text={isPosted ? postToWebhook(request) : SNIPPETS[name](request)}
      />
      {isKeyMissing && name !== "githubActions" && (
        <Text size="sm" c="dimmed">
          {t("builder.keyMissing")}
        </Text>
      )}
      {isInAddress && (
        <Alert color="gray" icon={<IconInfoCircle aria-hidden />}>
          {t("builder.secretAddress")}
        </Alert>
      )}
    </>
  );
}
