import { Kbd, Stack, Switch, Table } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Dialog } from "../page/dialog.tsx";
import { hideKeyboardHelp } from "./keyboard-help.ts";
import { areSingleKeyShortcutsOn, setSingleKeyShortcutsOn } from "../page/single-key-shortcuts.ts";

/** A dialog with the keyboard shortcuts of the console and the switch for single-key shortcuts. */
export function KeyboardHelpDialog({ paletteShortcut }: { readonly paletteShortcut: string }) {
  const { t } = useTranslation();
  const [areShortcutsOn, setAreShortcutsOn] = useState(areSingleKeyShortcutsOn);
  const changeShortcutsSetting = (checked: boolean) => {
    setSingleKeyShortcutsOn(checked);
    setAreShortcutsOn(checked);
  };
  const rows = [
    { keys: [paletteShortcut], text: t("shell.keyPalette") },
    { keys: ["/"], text: t("shell.keySearch") },
    { keys: ["Esc"], text: t("shell.keyLeave") },
    { keys: ["j", "k"], text: `${t("shell.feed")}: ${t("feed.keysMove")}` },
    { keys: ["u"], text: `${t("shell.feed")}: ${t("feed.keysUnread")}` },
    { keys: [t("feed.keyDelete")], text: `${t("shell.feed")}: ${t("feed.keysDelete")}` },
    { keys: ["z"], text: `${t("shell.feed")}: ${t("feed.keysUndo")}` },
    { keys: ["?"], text: t("shell.keyKeys") },
  ];
  return (
    <Dialog isOpen title={t("shell.keyboard")} onClose={hideKeyboardHelp}>
      <Stack>
        <Table>
          <Table.Tbody>
            {rows.map(({ keys, text }) => (
              <Table.Tr key={text}>
                <Table.Th scope="row">
                  {keys.map((key) => (
                    <Kbd key={key} mr={4}>
                      {key}
                    </Kbd>
                  ))}
                </Table.Th>
                <Table.Td>{text}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
        <Switch
          label={t("shell.singleKeys")}
          description={t("shell.singleKeysHint")}
          checked={areShortcutsOn}
          onChange={({ currentTarget: { checked } }) => changeShortcutsSetting(checked)}
        />
      </Stack>
    </Dialog>
  );
}
