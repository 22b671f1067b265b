import { Title } from "@mantine/core";
import { IconCheck } from "@tabler/icons-react";
import type { ReactNode } from "react";
import classes from "./first-steps.module.css";

interface StepProps {
  readonly number: number;
  readonly isDone: boolean;
  readonly title: string;
  readonly children?: ReactNode;
}

/** One of the first steps. A completed step has a check mark instead of its number. */
export function Step({ number, isDone, title, children }: StepProps) {
  return (
    <li className={classes["step"]} data-done={isDone || undefined}>
      <span className={classes["number"]} aria-hidden>
        {isDone ? <IconCheck size={16} stroke={2.5} /> : number}
      </span>
      <div className={classes["content"]}>
        <Title order={3} size="h6" className={classes["title"] ?? ""}>
          {title}
        </Title>
        {children}
      </div>
    </li>
  );
}
