import { client } from "../client.ts";
import type { Frame, Shown } from "../frame.ts";
import { actionButton } from "../page/action-button.ts";
import { makeForm } from "../page/form.ts";
import { fill, make, makeButton, makeTitle, type Child } from "../page/make.ts";
import { makeStatus } from "../page/status.ts";
import { FIELDS } from "./fields.ts";
import { signUpForm } from "./sign-in-forms.ts";

/** Shows how to make the first account, the administrator's. */
export function showSetUp(frame: Frame, token: string): Shown {
  if (token === "") return incomplete("Set up Tocsin", frame);
  const hint = "This makes the first account of this server. It is the administrator's.";
  return card("Set up Tocsin", [
    make("p", { class: "quiet" }, hint),
    signUpForm(token, () => frame.reload("/")),
  ]);
}

/** Shows a button that confirms an e-mail address: programs that only open links must confirm nothing. */
export function showVerification(frame: Frame, token: string): Shown {
  if (token === "") return incomplete("Confirm your e-mail address", frame);
  const status = makeStatus();
  const confirm = actionButton({
    label: "Confirm the address",
    className: "primary",
    status,
    run: async () => {
      await client.verifyEmail({ token });
      fill(row, onward(frame));
      status.say("Your e-mail address is confirmed.");
    },
  });
  const row = make("div", { class: "row" }, confirm);
  return card("Confirm your e-mail address", [row, status.element]);
}

/** Shows how to choose a new password. */
export function showReset(frame: Frame, token: string): Shown {
  if (token === "") return incomplete("Choose a new password", frame);
  const status = makeStatus();
  const form = makeForm({
    fields: [FIELDS.newPassword],
    submit: "Set the password",
    onSubmit: async (valueOf) => {
      await client.resetPassword({ token, newPassword: valueOf("newPassword") });
      form.replaceWith(onward(frame));
      status.say("Your password is set. You are signed out everywhere; sign in with the new one.");
    },
  });
  return card("Choose a new password", [status.element, form]);
}

function card(title: string, content: readonly Child[]): Shown {
  return {
    title,
    content: make("section", { class: "card narrow" }, makeTitle(title), ...content),
  };
}

function incomplete(title: string, frame: Frame): Shown {
  const text = "Open the link again: its secret part is missing from this address.";
  return card(title, [make("p", {}, text), onward(frame)]);
}

function onward(frame: Frame): HTMLButtonElement {
  return makeButton("Go to Tocsin", { onClick: () => void frame.reload("/") });
}
