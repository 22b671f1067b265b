import { client } from "../client.ts";
import type { Frame, Shown } from "../frame.ts";
import { fill, make, makeButton, makeTitle, type Child } from "../page/make.ts";
import { makeForm } from "../page/form.ts";
import { makeStatus } from "../page/status.ts";
import { FIELDS } from "./fields.ts";
import { signInForm, signUpForm } from "./sign-in-forms.ts";

/** Shows what a person who is not signed in can do: sign in, sign up, ask for a new password. */
export function showSignedOut(frame: Frame): Shown {
  const card = make("section", { class: "card narrow" });
  const show = (mode: Mode) => {
    fill(card, ...contentOf(mode, frame));
    const others = OTHERS[mode].map((other) =>
      makeButton(LABELS[other], {
        className: "link",
        onClick: () => {
          show(other);
          card.querySelector("h1")?.focus();
        },
      }),
    );
    card.append(make("div", { class: "row others" }, ...others));
  };
  show("sign-in");
  return { title: "Sign in", content: card };
}

type Mode = "sign-in" | "sign-up" | "forgotten";

const LABELS: Readonly<Record<Mode, string>> = {
  "sign-in": "Sign in instead",
  "sign-up": "Create an account",
  forgotten: "Forgot your password?",
};

const OTHERS: Readonly<Record<Mode, readonly Mode[]>> = {
  "sign-in": ["sign-up", "forgotten"],
  "sign-up": ["sign-in"],
  forgotten: ["sign-in"],
};

function contentOf(mode: Mode, frame: Frame): readonly Child[] {
  const onSignedIn = () => frame.reload();
  switch (mode) {
    case "sign-in":
      return [makeTitle("Sign in"), signInForm(onSignedIn)];
    case "sign-up":
      return [
        makeTitle("Create an account"),
        make(
          "p",
          { class: "quiet" },
          "This server may ask for an invitation. If you were sent one, open its link and sign up there. ",
          "The very first account is made with the set-up link in the server's log.",
        ),
        signUpForm(null, onSignedIn),
      ];
    case "forgotten":
      return forgotten();
  }
}

function forgotten(): readonly Child[] {
  const status = makeStatus();
  const form = makeForm({
    fields: [FIELDS.email],
    submit: "Send a link",
    onSubmit: async (valueOf) => {
      await client.requestPasswordReset({ email: valueOf("email") });
      status.say("If this address has an account, a link is on its way. It is good for one hour.");
    },
  });
  const hint = "You get a link to choose a new one. Without mail, the link is in the server's log.";
  return [makeTitle("New password"), make("p", { class: "quiet" }, hint), form, status.element];
}
