import type { Finding } from "@tocsin/sdk";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { client } from "../client.ts";
import { ActionButton } from "../page/action-button.tsx";
import classes from "./administration.module.css";
import { Findings } from "./findings.tsx";

/** A button that sends a test email to the signed-in account and shows the result. */
export function TestMailButton() {
  const { t } = useTranslation();
  const [finding, setFinding] = useState<Finding | null>(null);
  return (
    <>
      <div>
        <ActionButton variant="default" run={async () => setFinding(await client.admin.testMail())}>
          {t("admin.testMail")}
        </ActionButton>
      </div>
      <div role="status" className={classes["result"]}>
        {finding !== null && <Findings findings={[finding]} />}
      </div>
    </>
  );
}
