import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { KEY_PLACEHOLDER } from "../../keys/builder/send-request.ts";
import { SNIPPET_FORMATTERS } from "../../keys/builder/snippets.ts";
import { newKeyQuery } from "../../keys/key-queries.ts";
import { CopyableText } from "../../page/copyable-text.tsx";
import { parseAddressee, type Draft } from "./draft.ts";
import { toPromptFields } from "./prompt-draft.ts";
import classes from "./send-page.module.css";

/** The command that sends a draft with a key. A key cannot address a single device. */
export function DraftCommand({ draft }: { readonly draft: Draft }) {
  const { t } = useTranslation();
  const { data: newKey } = useQuery(newKeyQuery);
  const addressee = parseAddressee(draft.to);
  if (addressee.kind === "device") {
    return (
      <details className={classes["more"]}>
        <summary>{t("send.asCommand")}</summary>
        <Text size="sm">{t("send.noCommand")}</Text>
      </details>
    );
  }
  const teamId = addressee.kind === "team" ? addressee.teamId : null;
  const isPersonal = teamId === null;
  const command = SNIPPET_FORMATTERS.curl({
    ...draft,
    origin: location.origin,
    key: newKey?.teamId === teamId ? newKey.key : KEY_PLACEHOLDER,
    groupId: addressee.kind === "group" ? addressee.groupId : "",
    // A team may have many devices, so the script of a team does not wait for all of their results.
    waitsForResults: isPersonal,
    prompt: toPromptFields(draft),
  });
  return (
    <details className={classes["more"]}>
      <summary>{t("send.asCommand")}</summary>
      <div className={classes["fields"]}>
        <Text size="sm">{t(isPersonal ? "send.asCommandHint" : "send.asTeamCommandHint")}</Text>
        <CopyableText name="curl" text={command} />
      </div>
    </details>
  );
}
