import { SegmentedControl, Text } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import classes from "./pairing.module.css";

const SYSTEMS = ["iphone", "android"] as const;
type System = (typeof SYSTEMS)[number];

/** The three steps on the phone. `isPaired` marks the first as done; `pageUrl` is the page for the code. */
export function PhoneSteps({
  isPaired,
  pageUrl,
}: {
  readonly isPaired: boolean;
  readonly pageUrl: string;
}) {
  const { t } = useTranslation();
  const [system, setSystem] = useState<System>("iphone");
  return (
    <div className={classes["steps"]}>
      <SegmentedControl
        fullWidth
        aria-label={t("pairing.system")}
        value={system}
        onChange={(value) =>
          setSystem(SYSTEMS.find((candidate) => candidate === value) ?? "iphone")
        }
        data={SYSTEMS.map((value) => ({ value, label: t(`pairing.${value}.name`) }))}
      />
      <ol className={classes["list"]}>
        <li data-done={isPaired || undefined}>
          <Step
            title={t(`pairing.${system}.first`)}
            text={t(`pairing.${system}.firstText`, { address: pageUrl })}
          />
        </li>
        <li>
          <Step title={t(`pairing.${system}.second`)} text={t(`pairing.${system}.secondText`)} />
        </li>
        <li>
          <Step title={t(`pairing.${system}.third`)} text={t(`pairing.${system}.thirdText`)} />
        </li>
      </ol>
      <Text size="sm" c="dimmed">
        {t(`pairing.${system}.why`)}
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
