import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { KEY_PLACEHOLDER } from "../../keys/builder/send-request.ts";
import { SNIPPETS } from "../../keys/builder/snippets.ts";
import { madeKeyQuery } from "../../keys/key-queries.ts";
import { Copyable } from "../../page/copyable.tsx";
import { addresseeOf, type Draft } from "./draft.ts";
import classes from "./send-page.module.css";

/** The command that sends a draft with a key; a key cannot name a single device. */
export function AsCommand({ draft }: { readonly draft: Draft }) {
  const { t } = useTranslation();
  const { data: made } = useQuery(madeKeyQuery);
  const to = addresseeOf(draft.to);
  if (to.kind === "device") {
    return (
      <details className={classes["more"]}>
        <summary>{t("send.asCommand")}</summary>
        <Text size="sm">{t("send.noCommand")}</Text>
      </details>
    );
  }
  const teamId = to.kind === "team" ? to.teamId : null;
  const isOwn = teamId === null;
  const command = SNIPPETS.curl({
    ...draft,
    origin: location.origin,
    key: made?.teamId === teamId ? made.key : KEY_PLACEHOLDER,
    groupId: to.kind === "group" ? to.groupId : "",
    isAwaited: isOwn,
  });
  return (
    <details className={classes["more"]}>
      <summary>{t("send.asCommand")}</summary>
      <div className={classes["fields"]}>
        <Text size="sm">{t(isOwn ? "send.asCommandHint" : "send.asTeamCommandHint")}</Text>
        <Copyable name="curl" text={command} />
      </div>
    </details>
  );
}
