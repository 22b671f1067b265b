import { Button, Code } from "@mantine/core";
import { IconCheck, IconCopy } from "@tabler/icons-react";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import classes from "./copyable.module.css";

export interface CopyableProps {
  /** Name of the text, such as `command`. */
  readonly name: string;
  readonly text: string;
}

/** A text with a button that copies it. Without access to the clipboard, the button selects the text. */
export function Copyable({ name, text }: CopyableProps) {
  const { t } = useTranslation();
  const box = useRef<HTMLPreElement>(null);
  const [status, setStatus] = useState("");
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setStatus(t("page.copied"));
      setCopied(true);
    } catch {
      if (box.current !== null) getSelection()?.selectAllChildren(box.current);
      setStatus(t("page.selected"));
    }
  };
  return (
    <div className={classes["copyable"]}>
      <Code block ref={box} tabIndex={0} role="group" aria-label={name} className={classes["text"]}>
        {text}
      </Code>
      <div className={classes["row"]}>
        <Button
          size="xs"
          variant="default"
          leftSection={isCopied ? <IconCheck size={14} /> : <IconCopy size={14} />}
          aria-label={t("page.copyName", { name })}
          onClick={() => void copy()}
        >
          {t("page.copy")}
        </Button>
        <span role="status" className={classes["status"]}>
          {status}
        </span>
      </div>
    </div>
  );
}
