import "@mantine/spotlight/styles.layer.css";
import { Spotlight, createSpotlight, type SpotlightActionGroupData } from "@mantine/spotlight";
import { IconSearch } from "@tabler/icons-react";
import { use, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { loadPageTexts } from "../language/language.ts";
import { useCommands } from "./palette-commands.tsx";
import { useSearchResults } from "./palette-results.tsx";
import { containsWords } from "./contains-words.ts";

const [store, spotlight] = createSpotlight();
/** The palette uses texts of other pages. */
const pageTexts = loadPageTexts();

/**
 * The command palette. It finds pages, settings, commands, and the data of the account, such as notifications and
 * devices.
 */
export function CommandPalette({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation();
  use(pageTexts);
  const [query, setQuery] = useState("");
  const commands = useCommands();
  const results = useSearchResults(query);
  useEffect(() => spotlight.open(), []);
  return (
    <Spotlight
      store={store}
      actions={[...filterCommands(commands, query), ...results.groups]}
      // The actions are already filtered, by rules that Spotlight does not have.
      filter={(_query, actions) => actions}
      query={query}
      onQueryChange={setQuery}
      shortcut={null}
      lockScroll={false}
      highlightQuery
      scrollable
      maxHeight={360}
      nothingFound={results.isPending ? t("shell.loading") : t("shell.searchEmpty")}
      searchProps={{
        placeholder: t("shell.searchPlaceholder"),
        "aria-label": t("shell.search"),
        leftSection: <IconSearch size={18} aria-hidden />,
      }}
      onSpotlightClose={onClose}
    />
  );
}

/** Returns the commands that match a query. Settings appear only if the query is not empty. */
function filterCommands(
  commands: ReturnType<typeof useCommands>,
  query: string,
): readonly SpotlightActionGroupData[] {
  return commands
    .filter(({ needsQuery }) => !needsQuery || query.trim() !== "")
    .map(({ group, actions }) => ({
      group,
      actions: actions.filter(({ label = "", description = "" }) =>
        containsWords(`${label} ${description}`, query),
      ),
    }))
    .filter(({ actions }) => actions.length > 0);
}
