import { Alert, Button, Modal, Stack, TextInput } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { LIMITS, type EscalationPolicy } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import { ActionButton } from "../../page/action-button.tsx";
import { addStep, countMissingTargets, findStepProblems } from "./draft.ts";
import { OwnerSelect, ReminderSelect } from "./policy-selects.tsx";
import { StepFields } from "./step-fields.tsx";
import { useTargetOptions } from "./target-options.ts";
import { usePolicyDraft, type PolicyDraft } from "./use-policy-draft.ts";

interface EditPolicyDialogProps {
  /** Null for a new policy. */
  readonly policy: EscalationPolicy | null;
  readonly onClose: () => void;
}

/** A dialog that sets the name, the steps and the reminder of a new or existing policy. */
export function EditPolicyDialog({ policy, onClose }: EditPolicyDialogProps) {
  const { t } = useTranslation();
  return (
    <Modal
      opened
      onClose={onClose}
      title={policy === null ? t("policy.newPolicy") : t("policy.editTitle", { name: policy.name })}
      closeButtonProps={{ "aria-label": t("shell.close") }}
    >
      <PolicyForm policy={policy} onClose={onClose} />
    </Modal>
  );
}

const NAME_LENGTH_MAX = 80;

function PolicyForm({ policy, onClose }: EditPolicyDialogProps) {
  const { t } = useTranslation();
  const draft = usePolicyDraft(policy, onClose);
  const { problem } = draft;
  const missingCount = countMissingTargets(policy);
  return (
    <Stack>
      <TextInput
        data-autofocus
        label={t("policy.name")}
        placeholder={t("policy.namePlaceholder")}
        maxLength={NAME_LENGTH_MAX}
        value={draft.name}
        error={problem?.field === "name" ? problem.message : null}
        onChange={({ currentTarget: { value } }) => draft.setName(value)}
      />
      {policy === null && <OwnerSelect teamId={draft.teamId} onChange={draft.changeOwner} />}
      {missingCount > 0 && (
        <Alert color="yellow">{t("policy.missingRemoved", { count: missingCount })}</Alert>
      )}
      <StepList draft={draft} policy={policy} />
      <ReminderSelect value={draft.remindAfterSeconds} onChange={draft.setRemindAfterSeconds} />
      {problem !== null && problem.field !== "name" && (
        <Alert color="red" role="alert">
          {problem.message}
        </Alert>
      )}
      <ActionButton run={draft.save} onError={draft.showError}>
        {t(policy === null ? "policy.create" : "policy.save")}
      </ActionButton>
    </Stack>
  );
}

interface StepListProps {
  readonly draft: PolicyDraft;
  /** Null for a new policy. */
  readonly policy: EscalationPolicy | null;
}

function StepList({ draft, policy }: StepListProps) {
  const { t } = useTranslation();
  const { teamId, steps, setSteps, hasTriedToSave } = draft;
  const options = useTargetOptions(teamId, policy);
  const problems = findStepProblems(steps);
  return (
    <>
      {steps.map((step, index) => (
        <StepFields
          key={step.id}
          step={step}
          number={index + 1}
          options={options}
          problem={hasTriedToSave ? (problems[index] ?? null) : null}
          onChange={(changed) => setSteps(steps.with(index, changed))}
          onRemove={() => setSteps(steps.filter(({ id }) => id !== step.id))}
        />
      ))}
      {steps.length < LIMITS.escalationSteps && (
        <Button
          variant="default"
          leftSection={<IconPlus size={16} aria-hidden />}
          onClick={() => setSteps(addStep(steps))}
        >
          {t("policy.addStep")}
        </Button>
      )}
    </>
  );
}
