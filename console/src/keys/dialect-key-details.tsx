import { Select, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { CopyableLine } from "../page/copyable-line.tsx";
import type { IssuedDialectKey } from "./dialect-key-queries.ts";
import { SERVICE_NAMES } from "./dialects.ts";
import { KNOWN_PROGRAMS } from "./program-settings.ts";

/** A new key for programs of another service, with the settings for a program that the reader chooses. */
export function DialectKeyDetails({ newKey }: { readonly newKey: IssuedDialectKey }) {
  const { t } = useTranslation();
  const [program, setProgram] = useState<string | null>(null);
  const { dialect, key } = newKey;
  const programs = KNOWN_PROGRAMS[dialect];
  const knownProgram = programs.find(({ name }) => name === program);
  const settings = knownProgram?.createSettings({ url: location.origin, key }) ?? [
    [t("dialect.server"), location.origin],
    [t("dialect.token"), key],
  ];
  return (
    <Stack gap="sm">
      <Text size="sm">{t("dialect.once", { name: SERVICE_NAMES[dialect] })}</Text>
      {programs.length > 0 && (
        <Select
          label={t("dialect.program")}
          placeholder={t("dialect.anyProgram")}
          clearable
          clearButtonProps={{ "aria-label": t("dialect.anyProgram") }}
          value={program}
          onChange={setProgram}
          data={programs.map(({ name }) => name)}
        />
      )}
      {settings.map(([field, value]) => (
        <CopyableLine key={field} name={field ?? ""} text={value ?? ""} />
      ))}
      {newKey.userKey !== null && (
        <CopyableLine name={t("dialect.userKey")} text={newKey.userKey} />
      )}
    </Stack>
  );
}
