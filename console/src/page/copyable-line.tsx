import { ActionIcon, Text } from "@mantine/core";
import { IconCheck, IconCopy } from "@tabler/icons-react";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import classes from "./copyable.module.css";

interface CopyableLineProps {
  /** Name of the text, such as `User name`, which is shown above it. */
  readonly name: string;
  readonly text: string;
}

/** A short text with its name and a button that copies it. Without access to the clipboard, the button selects the text. */
export function CopyableLine({ name, text }: CopyableLineProps) {
  const { t } = useTranslation();
  const textRef = useRef<HTMLDivElement>(null);
  const [status, setStatus] = useState("");
  const isCopied = status === t("page.copied");
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setStatus(t("page.copied"));
    } catch {
      if (textRef.current !== null) getSelection()?.selectAllChildren(textRef.current);
      setStatus(t("page.selected"));
    }
  };
  return (
    <div className={classes["line"]}>
      <div className={classes["lineText"]}>
        <Text size="xs" c="dimmed" aria-hidden>
          {name}
        </Text>
        <div ref={textRef} role="group" aria-label={name} className={classes["value"]}>
          {text}
        </div>
      </div>
      <span role="status" className={classes["hiddenStatus"]}>
        {status}
      </span>
      <ActionIcon
        variant="default"
        size={36}
        aria-label={t("page.copyName", { name })}
        onClick={() => void copy()}
      >
        {isCopied ? <IconCheck size={18} aria-hidden /> : <IconCopy size={18} aria-hidden />}
      </ActionIcon>
    </div>
  );
}
