import { Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { CopyableText } from "../page/copyable-text.tsx";
import type { IssuedDialectKey } from "./dialect-key-queries.ts";
import { SERVICE_NAMES } from "./dialects.ts";

/** A new key for programs of another service, and the server that they need beside it. */
export function DialectKeyDetails({ newKey }: { readonly newKey: IssuedDialectKey }) {
  const { t } = useTranslation();
  return (
    <Stack gap="sm">
      <Text size="sm">{t("dialect.once", { name: SERVICE_NAMES[newKey.dialect] })}</Text>
      <NamedText name={t("dialect.server")} text={location.origin} />
      <NamedText name={t("dialect.token")} text={newKey.key} />
      {newKey.userKey !== null && <NamedText name={t("dialect.userKey")} text={newKey.userKey} />}
    </Stack>
  );
}

function NamedText({ name, text }: { readonly name: string; readonly text: string }) {
  return (
    <div>
      <Text size="sm" fw={600} mb={4}>
        {name}
      </Text>
      <CopyableText name={name} text={text} />
    </div>
  );
}
