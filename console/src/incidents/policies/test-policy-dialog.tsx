import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import type { EscalationPolicy, PolicyTest, ReachedTarget, TestOmission } from "@tocsin/sdk";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { client } from "../../client.ts";
import { ActionButton } from "../../page/action-button.tsx";
import { formatTarget } from "./draft.ts";
import { formatReach, formatTargetName } from "./policy-steps.tsx";

interface TestPolicyDialogProps {
  readonly policy: EscalationPolicy;
  readonly onClose: () => void;
}

/** A dialog that shows whom a test of a policy would notify, sends the test, and then shows where it went. */
export function TestPolicyDialog({ policy, onClose }: TestPolicyDialogProps) {
  const { t } = useTranslation();
  const [result, setResult] = useState<PolicyTest | null>(null);
  const { id, name, steps } = policy;
  const send = async () => setResult(await client.escalationPolicies.test(id));
  return (
    <Modal
      opened
      onClose={onClose}
      title={t("policy.test.title", { name })}
      closeButtonProps={{ "aria-label": t("shell.close") }}
    >
      <Stack>
        {result === null ? (
          <Recipients targets={(steps[0]?.targets ?? []).map(addOmission)} />
        ) : (
          <Result result={result} />
        )}
        <Text size="sm" c="dimmed">
          {t("policy.test.note")}
        </Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t(result === null ? "page.cancel" : "policy.test.done")}
          </Button>
          {result === null && <ActionButton run={send}>{t("policy.test.send")}</ActionButton>}
        </Group>
      </Stack>
    </Modal>
  );
}

type TestedTarget = PolicyTest["targets"][number];

/** Adds the reason why a test will leave out a target, as far as it is known before the test. */
function addOmission(target: ReachedTarget): TestedTarget {
  return { ...target, omission: predictOmission(target) };
}

function predictOmission({ kind, missing, deviceCount }: ReachedTarget): TestOmission | null {
  if (missing) return "missing";
  if (kind === "mail" || kind === "callback") return "unsupported";
  return deviceCount === 0 ? "no_device" : null;
}

function Recipients({ targets }: Pick<PolicyTest, "targets">) {
  const { t } = useTranslation();
  const notified = targets.filter(({ omission }) => omission === null);
  return (
    <>
      <Text size="sm">{t(notified.length === 0 ? "policy.test.nobody" : "policy.test.text")}</Text>
      {notified.map((target) => (
        <Text key={formatTarget(target)} size="sm">
          {formatTargetName(t, target)}{" "}
          <Text span size="sm" c="dimmed">
            {formatReach(t, target)}
          </Text>
        </Text>
      ))}
      <OmittedTargets targets={targets} />
    </>
  );
}

function OmittedTargets({ targets }: Pick<PolicyTest, "targets">) {
  const { t } = useTranslation();
  const omitted = targets.flatMap((target) =>
    target.omission === null ? [] : [{ target, omission: target.omission }],
  );
  if (omitted.length === 0) return null;
  return (
    <>
      <Text size="sm">{t("policy.test.leftOut")}</Text>
      {omitted.map(({ target, omission }) => (
        <Text key={formatTarget(target)} size="sm" c="dimmed">
          {`${formatTargetName(t, target)}: ${t(`policy.test.omission.${omission}`)}`}
        </Text>
      ))}
    </>
  );
}

function Result({
  result: { deviceCount, personCount, targets },
}: {
  readonly result: PolicyTest;
}) {
  const { t } = useTranslation();
  return (
    <>
      <Text size="sm" fw={500} role="status">
        {deviceCount === 0
          ? t("policy.test.sentToNobody")
          : `${t("policy.test.sent", { count: deviceCount })} ${t("policy.people", { count: personCount })}.`}
      </Text>
      <OmittedTargets targets={targets} />
    </>
  );
}
