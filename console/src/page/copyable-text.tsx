import { Button, Code } from "@mantine/core";
import { IconCheck, IconCopy } from "@tabler/icons-react";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import classes from "./copyable.module.css";

interface CopyableTextProps {
  /** Name of the text, such as `command`. */
  readonly name: string;
  readonly text: string;
}

/** A text with a button that copies it. Without access to the clipboard, the button selects the text. */
export function CopyableText({ name, text }: CopyableTextProps) {
  const { t } = useTranslation();
  const textRef = useRef<HTMLPreElement>(null);
  const [status, setStatus] = useState("");
  const [isCopied, setIsCopied] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setStatus(t("page.copied"));
      setIsCopied(true);
    } catch {
      if (textRef.current !== null) getSelection()?.selectAllChildren(textRef.current);
      setStatus(t("page.selected"));
    }
  };
  return (
    <div className={classes["copyable"]}>
      <Code
        block
        ref={textRef}
        tabIndex={0}
        role="group"
        aria-label={name}
        className={classes["text"]}
      >
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
