import { useQueryClient } from "@tanstack/react-query";
import type { EscalationPolicy } from "@tocsin/sdk";
import { useState } from "react";
import { getErrorField, getErrorMessage } from "../../errors.ts";
import { findStepProblems, toDraftSteps, toRequestedSteps } from "./draft.ts";
import { savePolicy } from "./policy-queries.ts";

/** The values of the form of a policy, and the functions that change and save them. */
export type PolicyDraft = ReturnType<typeof usePolicyDraft>;

/** The error of the last attempt to save. The field is null if the error names none. */
interface SaveProblem {
  readonly field: string | null;
  readonly message: string;
}

/** Returns the draft of a new policy (null) or of an existing one. Calls `onSaved` once it is saved. */
export function usePolicyDraft(policy: EscalationPolicy | null, onSaved: () => void) {
  const queryClient = useQueryClient();
  const [teamId, setTeamId] = useState(policy?.teamId ?? null);
  const [name, setName] = useState(policy?.name ?? "");
  const [steps, setSteps] = useState(() => toDraftSteps(policy));
  const [remindAfterSeconds, setRemindAfterSeconds] = useState(policy?.remindAfterSeconds ?? null);
  const [problem, setProblem] = useState<SaveProblem | null>(null);
  const [hasTriedToSave, setHasTriedToSave] = useState(false);
  return {
    teamId,
    name,
    steps,
    remindAfterSeconds,
    problem,
    /** The steps show their problems only after the first attempt to save. */
    hasTriedToSave,
    setName,
    setSteps,
    setRemindAfterSeconds,
    changeOwner: (ownerTeamId: string | null) => {
      setTeamId(ownerTeamId);
      // The new owner does not have the targets of the previous one.
      setSteps((previous) => previous.map((step) => ({ ...step, targets: [] })));
    },
    showError: (error: unknown) =>
      setProblem({ field: getErrorField(error), message: getErrorMessage(error) }),
    save: async () => {
      setProblem(null);
      setHasTriedToSave(true);
      if (findStepProblems(steps).some((stepProblem) => stepProblem !== null)) return;
      const content = { name, steps: toRequestedSteps(steps), remindAfterSeconds };
      await savePolicy(queryClient, policy?.id ?? null, { teamId, ...content });
      onSaved();
    },
  };
}
