import type { CreatedSignUpInvitation, ListedAccount, ResetLink } from "@tocsin/sdk";
import { toSignUpInvitationResponse } from "#accounts/invitations/response.ts";
import { inviteToServer } from "#accounts/invitations/invite.ts";
import { findAccountByEmail } from "#accounts/store/accounts.ts";
import {
  toListedAccountResponses,
  toResetLinkResponse,
} from "#accounts/other-accounts/response.ts";
import { createResetLink } from "#accounts/other-accounts/reset-link.ts";
import {
  findListedAccount,
  findFirstAdministrator,
  listAccounts,
} from "#accounts/other-accounts/store.ts";
import { readCurrentSettings } from "#administration/settings/settings.ts";
import { OPERATOR } from "#audit/event.ts";
import type { Config } from "#config/config.ts";
import type { Context } from "#context.ts";
import { countDevices } from "#devices/store/devices.ts";
import type { MailQueue } from "#mail/mail.ts";
import { countTeams } from "#teams/store/teams.ts";
import { OperatorError } from "./operator-error.ts";
import { withContext } from "./with-context.ts";

/** The dependencies of the operator's commands on accounts. */
export interface AccountDeps {
  readonly config: Pick<Config, "baseUrl" | "database" | "fixed" | "retentionDays" | "signUp">;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

const PAGE_SIZE = 200;

/**
 * Calls `onAccount` for every account that contains all `words` in its name or email address, newest first. Throws
 * `OperatorError` if there is no database.
 */
export async function listAllAccounts(
  deps: AccountDeps,
  { words, onAccount }: AccountSearch,
): Promise<void> {
  await withContext(deps, async (context) => {
    const counts = {
      countDevices: (ids: readonly string[]) => countDevices(context, ids),
      countTeams: (ids: readonly string[]) => countTeams(context, ids),
    };
    for (let lastId: string | null = null; ;) {
      const page = await listAccounts(context, { words, after: lastId, limit: PAGE_SIZE });
      for (const account of await toListedAccountResponses(counts, page)) onAccount(account);
      lastId = page.at(-1)?.id ?? null;
      if (page.length < PAGE_SIZE) return;
    }
  });
}

/** The words to search for, and a callback for each account. */
export interface AccountSearch {
  /** Empty for all accounts. */
  readonly words: readonly string[];
  readonly onAccount: (account: ListedAccount) => void;
}

/**
 * Creates a link for the owner of this email address to set a new password, valid once and for one day. Throws
 * `OperatorError` if there is no such account, or no database.
 */
export async function createResetLinkByEmail(
  deps: AccountDeps,
  email: string,
): Promise<ResetLink & { readonly accountId: string; readonly isSuspended: boolean }> {
  return withContext(deps, async (context) => {
    const account = await findAccountByEmail(context, email);
    if (account === null) {
      throw new OperatorError(
        "not_found",
        "No account has this email address. See tocsin account list.",
      );
    }
    const accountId = account.id;
    const { baseUrl } = deps.config;
    const resetLink = await createResetLink({ context, baseUrl }, { accountId, actor: OPERATOR });
    const isSuspended = (await findListedAccount(context, accountId))?.suspendedAt != null;
    return { accountId, ...toResetLinkResponse(resetLink), isSuspended };
  });
}

/** A mail queue that rejects every email, because the operator passes the link on. */
const NO_MAIL: MailQueue = {
  enqueue: () => Promise.reject(new Error("An operator's command sends no email.")),
  wake: () => {},
};

/**
 * Creates a link for one sign-up within seven days; with `email`, only for that address. The oldest administrator
 * counts as its inviter, and the link is deleted with that account. Throws `OperatorError` if there is no administrator
 * or no database, and the errors of `inviteToServer`.
 */
export async function inviteByLink(
  deps: AccountDeps,
  email: string | null,
): Promise<Omit<CreatedSignUpInvitation, "isMailed">> {
  return withContext(deps, async (context) => {
    const invitedBy = await requireAdministratorId(context);
    const readSettings = () => readCurrentSettings({ context, config: deps.config });
    const { link, ...invitation } = await inviteToServer(
      {
        context,
        mail: NO_MAIL,
        sendsMail: false,
        baseUrl: deps.config.baseUrl,
        signUpPolicy: async () => (await readSettings()).signUp,
      },
      { invitedBy, email, actor: OPERATOR },
    );
    return { ...toSignUpInvitationResponse(invitation), link };
  });
}

async function requireAdministratorId(context: Context): Promise<string> {
  const administrator = await findFirstAdministrator(context);
  if (administrator !== null) return administrator.id;
  const remedy =
    "Make one with tocsin account create --admin, or open the link of the first start.";
  throw new OperatorError("no_administrator", `There is no administrator yet. ${remedy}`);
}
