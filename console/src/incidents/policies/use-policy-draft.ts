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

/** Returns the draft of a new policy (null) or of an existing one. Calls `onSaved` after it was saved. */
export function usePolicyDraft(policy: EscalationPolicy | null, onSaved: () => void) {
  const queryClient = useQueryClient();
  const [teamId, setTeamId] = useState(policy?.teamId ?? null);
  const [name, setName] = useState(policy?.name ?? "");
  const [steps, setSteps] = useState(() => toDraftSteps(policy));
  const [remindAfterSeconds, setRemindAfterSeconds] = useState(policy?.remindAfterSeconds ?? null);
  const [problem, setProblem] = useState<SaveProblem | null>(null);
  const [wasSent, setWasSent] = useState(false);
  return {
    teamId,
    name,
    steps,
    remindAfterSeconds,
    problem,
    /** Whether somebody has tried to save. Only then the steps show their problems. */
    wasSent,
    setName,
    setSteps,
    setRemindAfterSeconds,
    changeOwner: (ownerTeamId: string | null) => {
      setTeamId(ownerTeamId);
      // The targets of one owner are none of another's.
      setSteps((previous) => previous.map((step) => ({ ...step, targets: [] })));
    },
    showError: (error: unknown) =>
      setProblem({ field: getErrorField(error), message: getErrorMessage(error) }),
    save: async () => {
      setProblem(null);
      setWasSent(true);
      if (findStepProblems(steps).some((stepProblem) => stepProblem !== null)) return;
      const content = { name, steps: toRequestedSteps(steps), remindAfterSeconds };
      await savePolicy(queryClient, policy?.id ?? null, { teamId, ...content });
      onSaved();
    },
  };
}
