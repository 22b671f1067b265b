import { SegmentedControl, Text } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import classes from "./pairing.module.css";

const PHONE_TYPES = ["iphone", "android"] as const;
type PhoneType = (typeof PHONE_TYPES)[number];

/**
 * The three steps on the phone. `isPaired` marks the first as done; `pageUrl` is the page on which a person enters the
 * code.
 */
export function PhoneSteps({
  isPaired,
  pageUrl,
}: {
  readonly isPaired: boolean;
  readonly pageUrl: string;
}) {
  const { t } = useTranslation();
  const [phoneType, setPhoneType] = useState<PhoneType>("iphone");
  return (
    <div className={classes["steps"]}>
      <SegmentedControl
        fullWidth
        aria-label={t("pairing.system")}
        value={phoneType}
        onChange={(value) =>
          setPhoneType(PHONE_TYPES.find((candidate) => candidate === value) ?? "iphone")
        }
        data={PHONE_TYPES.map((value) => ({ value, label: t(`pairing.${value}.name`) }))}
      />
      <ol className={classes["list"]}>
        <li data-done={isPaired || undefined}>
          <Step
            title={t(`pairing.${phoneType}.first`)}
            text={t(`pairing.${phoneType}.firstText`, { address: pageUrl })}
          />
        </li>
        <li>
          <Step
            title={t(`pairing.${phoneType}.second`)}
            text={t(`pairing.${phoneType}.secondText`)}
          />
        </li>
        <li>
          <Step
            title={t(`pairing.${phoneType}.third`)}
            text={t(`pairing.${phoneType}.thirdText`)}
          />
        </li>
      </ol>
      <Text size="sm" c="dimmed">
        {t(`pairing.${phoneType}.why`)}
      </Text>
    </div>
  );
}

function Step({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <>
      <Text size="sm" fw={600}>
        {title}
      </Text>
      <Text size="sm" c="dimmed">
        {text}
      </Text>
    </>
  );
}
