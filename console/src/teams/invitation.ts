import type { Account } from "@tocsin/sdk";
import { signInForm, signUpForm } from "../accounts/sign-in-forms.ts";
import { client } from "../client.ts";
import type { Frame, Shown } from "../frame.ts";
import { actionButton } from "../page/action-button.ts";
import { fill, make, makeButton, makeTitle, type Child } from "../page/make.ts";
import { makeStatus } from "../page/status.ts";

/** Shows an invitation to a team; only its button accepts, for an account that is signed in. */
export function showInvitation(frame: Frame, token: string): Shown {
  const title = "You are invited to a team";
  const content = make("section", { class: "card narrow" }, makeTitle(title));
  if (token === "") {
    const text = "Open the invitation's link again: its secret part is missing here.";
    content.append(make("p", {}, text));
  } else if (frame.account === null) {
    content.append(...signedOut(frame, token));
  } else {
    content.append(...signedIn(frame, { account: frame.account, token }));
  }
  return { title, content };
}

function signedIn(
  frame: Frame,
  { account, token }: { readonly account: Account; readonly token: string },
): readonly Node[] {
  const status = makeStatus();
  const accept = actionButton({
    label: "Accept the invitation",
    className: "primary",
    status,
    run: async () => {
      const { name } = await client.invitations.acceptToken(token);
      fill(row, makeButton("Go to Tocsin", { onClick: () => frame.go("/") }));
      status.say(`You are a member of ${name}. Its notifications now reach your devices.`);
    },
  });
  const row = make("div", { class: "row" }, accept);
  const text = "Once you accept, the team's notifications reach your devices and your feed.";
  const who = make("p", { class: "quiet" }, `You are signed in as ${account.email}.`);
  return [make("p", {}, text), who, row, status.element];
}

function signedOut(frame: Frame, token: string): readonly Node[] {
  const box = make("div", { class: "stack" });
  // Signing in or up uses nothing up: the invitation is then accepted by the button above.
  const onSignedIn = () => frame.reload();
  const show = (heading: string, form: Node, other: Child) =>
    fill(box, make("h2", { tabindex: "-1" }, heading), form, make("div", { class: "row" }, other));
  const showSignUp = () =>
    show(
      "Create an account",
      signUpForm(token, onSignedIn),
      makeButton("I have an account", { className: "link", onClick: () => turn(showSignIn) }),
    );
  const showSignIn = () =>
    show(
      "Sign in",
      signInForm(onSignedIn),
      makeButton("I have no account", { className: "link", onClick: () => turn(showSignUp) }),
    );
  const turn = (next: () => void) => {
    next();
    box.querySelector("h2")?.focus();
  };
  showSignUp();
  const text = "To accept, use the e-mail address that was invited.";
  return [make("p", { class: "quiet" }, text), box];
}
