import type { DeviceOwner } from "./delivery.ts";
import type { Timestamp } from "./page.ts";

/** All roles in a team, most powerful first. */
export const TEAM_ROLES = ["owner", "admin", "member"] as const;

/** The role of an account in a team. */
export type TeamRole = (typeof TEAM_ROLES)[number];

/** A team and my role in it. */
export interface Team {
  readonly id: string;
  readonly name: string;
  readonly role: TeamRole;
}

/** The answer to creating a team, with its first team key, which is shown only now. */
export interface CreatedTeam {
  readonly id: string;
  readonly name: string;
  readonly role: "owner";
  readonly key: string;
}

/** A team with its members and invitations. */
export interface TeamDetail extends Team {
  readonly members: readonly Member[];
  readonly invitations: readonly Invitation[];
}

/** A member of a team. */
export interface Member {
  /** The member id: it names this person in this team alone, from joining to leaving, and is not the account's id. */
  readonly accountId: string;
  /** Whether this is the requesting account. */
  readonly isMe: boolean;
  readonly email: string;
  readonly name: string;
  readonly role: TeamRole;
  readonly deviceCount: number;
  /** When the last device left within the last 90 days, for managers of the team and for oneself; else null. */
  readonly deviceLeftAt: Timestamp | null;
}

/** A member's device, as managers of the team see it. */
export interface TeamDevice {
  readonly id: string;
  readonly name: string;
  readonly owner: DeviceOwner;
  /** When its push service gave it up; null while it is live. */
  readonly leftAt: Timestamp | null;
}

/** An unanswered invitation. */
export interface Invitation {
  readonly id: string;
  readonly email: string;
  readonly createdAt: Timestamp;
  readonly expiresAt: Timestamp;
}

/** The answer to inviting, with the link to hand over if no mail is set up. */
export interface CreatedInvitation extends Invitation {
  readonly link: string;
  readonly mail: InvitationMail;
}

/** All states of an invitation's mail. */
export const INVITATION_MAILS = ["queued", "recent", "off"] as const;

/** Whether a mail is sent now, was sent within 24 hours, or never is because the server sends none. */
export type InvitationMail = (typeof INVITATION_MAILS)[number];

/** The states of an invitation that its link shows. */
export const INVITATION_STATES = ["open", "expired", "accepted"] as const;

/** The state of an invitation; `accepted` is shown only to the member who accepted. */
export type InvitationState = (typeof INVITATION_STATES)[number];

/** All states of invitation mails to an address. */
export const RECIPIENT_MAILS = ["sent", "refused"] as const;

/** Whether invitation mails are sent to an address. */
export type RecipientMails = (typeof RECIPIENT_MAILS)[number];

/** An invitation as its link shows it. */
export interface LookedAtInvitation {
  readonly team: { readonly name: string };
  readonly invitedBy: { readonly name: string };
  /** The address that is invited. */
  readonly email: string;
  /** Whether the token came by mail, so that signing up with it proves the address. */
  readonly isMailed: boolean;
  readonly expiresAt: Timestamp;
  readonly state: InvitationState;
  /** Whether invitation e-mails are sent to the address; null for a link that was not e-mailed, which cannot change this. */
  readonly mails: RecipientMails | null;
}

/** The rest that a mailed link shows once its invitation was answered or revoked. */
export interface EndedInvitation {
  readonly state: "over";
  /** The address that was invited. */
  readonly email: string;
  readonly mails: RecipientMails;
}

/** A pending invitation addressed to my e-mail address. */
export interface ReceivedInvitation {
  readonly id: string;
  readonly team: { readonly id: string; readonly name: string };
  readonly invitedBy: { readonly name: string; readonly email: string };
  readonly createdAt: Timestamp;
  readonly expiresAt: Timestamp;
}

/** The request that creates or renames a team. */
export interface NewTeam {
  readonly name: string;
}

/** The request that invites a person to a team. */
export interface NewInvitation {
  readonly email: string;
}

/** The request that changes a member's role. */
export interface RoleChange {
  readonly role: TeamRole;
}

/** The body of both management requests: the team by its team API key, the person by e-mail address. */
export interface TeamInvitationRequest {
  readonly team: string;
  readonly email: string;
}

/** The answer to a successful management request. */
export interface ManagementResult {
  readonly success: true;
  readonly message: string;
}
