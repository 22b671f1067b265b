import { SegmentedControl } from "@mantine/core";
import { IconPhoto } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Card } from "../../page/card.tsx";
import { PreviewText } from "../body/preview-text.tsx";
import { getFieldsShownAs } from "../content/field-display.ts";
import type { FormContent } from "../content/form-content.ts";
import classes from "./preview.module.css";

const DEVICE_KINDS = ["iphone", "android", "computer"] as const;

type DeviceKind = (typeof DEVICE_KINDS)[number];

/** A preview of a notification: it shows approximately how a device will display it. */
export function NotificationPreview({ content }: { readonly content: FormContent }) {
  const { t } = useTranslation();
  const [kind, setKind] = useState<DeviceKind>("iphone");
  return (
    <Card
      title={t("send.preview")}
      actions={
        <SegmentedControl<DeviceKind>
          size="xs"
          aria-label={t("send.preview")}
          value={kind}
          onChange={setKind}
          data={DEVICE_KINDS.map((value) => ({ value, label: t(`send.kinds.${value}`) }))}
        />
      }
    >
      <div className={classes["screen"]} data-kind={kind}>
        <PreviewedNotification content={content} kind={kind} />
      </div>
    </Card>
  );
}

function PreviewedNotification({
  content,
  kind,
}: {
  readonly content: FormContent;
  readonly kind: DeviceKind;
}) {
  const { t } = useTranslation();
  const { title, body, timeSensitive, markdown } = content;
  const isEmpty = title === "" && body === "";
  return (
    <div className={classes["notification"]} aria-live="off">
      <img src="/icons/bell.svg" alt="" width={36} height={36} className={classes["icon"]} />
      <div className={classes["text"]}>
        <p className={classes["source"]}>
          <span>{kind === "computer" ? location.host : "Tocsin"}</span>
          {timeSensitive && kind === "iphone" && <span>{t("send.timeSensitive")}</span>}
          <span>{t("send.now")}</span>
        </p>
        <p className={classes["title"]} dir="auto">
          {isEmpty ? t("send.previewTitle") : title}
        </p>
        <p className={classes["body"]} dir="auto">
          {isEmpty ? t("send.previewBody") : <PreviewText body={body} markdown={markdown} />}
        </p>
        {getFieldsShownAs("preview", "note").map(
          (field) =>
            content[field] !== "" && (
              <p key={field} className={classes["note"]}>
                <IconPhoto size={20} stroke={1.5} aria-hidden />
                {t(`content.${field}`)}
              </p>
            ),
        )}
      </div>
    </div>
  );
}
