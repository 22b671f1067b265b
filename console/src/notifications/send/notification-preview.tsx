import { SegmentedControl } from "@mantine/core";
import { IconPhoto } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Card } from "../../page/card.tsx";
import { PreviewText } from "../body/preview-text.tsx";
import { getFieldsShownAs } from "../content/field-display.ts";
import type { Draft } from "./draft.ts";
import { getActReason, listButtonLabels } from "./preview-buttons.ts";
import classes from "./preview.module.css";

const DEVICE_KINDS = ["iphone", "android", "computer"] as const;

type DeviceKind = (typeof DEVICE_KINDS)[number];

/** A preview of a notification: it shows approximately how a device will display it. */
export function NotificationPreview({ draft }: { readonly draft: Draft }) {
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
        <PreviewedNotification draft={draft} kind={kind} />
      </div>
    </Card>
  );
}

interface PreviewProps {
  readonly draft: Draft;
  readonly kind: DeviceKind;
}

function PreviewedNotification({ draft, kind }: PreviewProps) {
  const { t } = useTranslation();
  const { title, body, timeSensitive, markdown } = draft;
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
            draft[field] !== "" && (
              <p key={field} className={classes["note"]}>
                <IconPhoto size={20} stroke={1.5} aria-hidden />
                {t(`content.${field}`)}
              </p>
            ),
        )}
        {kind === "iphone" ? <TapNote draft={draft} /> : <Buttons draft={draft} />}
      </div>
    </div>
  );
}

/** The way to act on an iPhone, where the web app has no buttons. */
function TapNote({ draft }: Pick<PreviewProps, "draft">) {
  const { t } = useTranslation();
  const reason = getActReason(draft);
  return reason !== null && <p className={classes["note"]}>{t(`send.tap.${reason}`)}</p>;
}

/** The buttons as a browser shows them. In the preview, they do nothing. */
function Buttons({ draft }: Pick<PreviewProps, "draft">) {
  const { t } = useTranslation();
  const labels = listButtonLabels(draft, t("prompt.answer"));
  if (labels.length === 0) return null;
  return (
    <ul className={classes["buttons"]} aria-label={t("send.buttons")}>
      {labels.map((label, index) => (
        <li key={index} dir="auto">
          {label}
        </li>
      ))}
    </ul>
  );
}
