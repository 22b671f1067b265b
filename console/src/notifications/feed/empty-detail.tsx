import { Kbd, Text } from "@mantine/core";
import { IconBell } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import classes from "./feed-page.module.css";

/** The pane next to the list on a wide screen while no notification is open. It shows the keyboard shortcuts. */
export function EmptyDetail() {
  const { t } = useTranslation();
  const shortcuts = [
    { keys: ["j", "k"], text: t("feed.keysMove") },
    { keys: ["u"], text: t("feed.keysUnread") },
    { keys: [t("feed.keyDelete")], text: t("feed.keysDelete") },
    { keys: ["z"], text: t("feed.keysUndo") },
  ];
  return (
    <div className={classes["emptyDetail"]}>
      <IconBell size={32} stroke={1.25} aria-hidden />
      <Text size="sm">{t("feed.selectNotification")}</Text>
      <dl className={classes["hints"]}>
        {shortcuts.map(({ keys, text }) => (
          <div key={text}>
            <dt>
              {keys.map((key) => (
                <Kbd key={key} size="xs">
                  {key}
                </Kbd>
              ))}
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
