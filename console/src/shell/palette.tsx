import "@mantine/spotlight/styles.layer.css";
import { Spotlight, createSpotlight, type SpotlightActionGroupData } from "@mantine/spotlight";
import { IconSearch } from "@tabler/icons-react";
import { use, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { loadPageTexts } from "../language/language.ts";
import { useCommands } from "./palette-commands.tsx";
import { useFound } from "./palette-found.tsx";
import { holds } from "./palette-words.ts";

const [store, spotlight] = createSpotlight();
/** The palette names things of other pages, in the words of those pages. */
const pageTexts = loadPageTexts();

/** Keyboard access to everything with a name: pages, settings, commands, and the account's things and notifications. */
export function Palette({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation();
  use(pageTexts);
  const [query, setQuery] = useState("");
  const commands = useCommands();
  const found = useFound(query);
  useEffect(() => spotlight.open(), []);
  return (
    <Spotlight
      store={store}
      actions={[...matching(commands, query), ...found.groups]}
      // The actions are filtered already, by code that knows where words may match.
      filter={(_query, actions) => actions}
      query={query}
      onQueryChange={setQuery}
      shortcut={null}
      lockScroll={false}
      highlightQuery
      scrollable
      maxHeight={360}
      nothingFound={found.isPending ? t("shell.loading") : t("shell.searchEmpty")}
      searchProps={{
        placeholder: t("shell.searchPlaceholder"),
        "aria-label": t("shell.search"),
        leftSection: <IconSearch size={18} aria-hidden />,
      }}
      onSpotlightClose={onClose}
    />
  );
}

/** Single settings are offered only after something is typed. */
function matching(
  commands: ReturnType<typeof useCommands>,
  query: string,
): readonly SpotlightActionGroupData[] {
  return commands
    .filter(({ isFoundOnly }) => !isFoundOnly || query.trim() !== "")
    .map(({ group, actions }) => ({
      group,
      actions: actions.filter(({ label = "", description = "" }) =>
        holds(`${label} ${description}`, query),
      ),
    }))
    .filter(({ actions }) => actions.length > 0);
}
