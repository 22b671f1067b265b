import type { DeviceOwner } from "./delivery.ts";
import type { Timestamp } from "./page.ts";

/** Every role in a team, the mightiest first. */
export const TEAM_ROLES = ["owner", "admin", "member"] as const;

/** What an account may do in a team. */
export type TeamRole = (typeof TEAM_ROLES)[number];

/** A team and my role in it. */
export interface Team {
  readonly id: string;
  readonly name: string;
  readonly role: TeamRole;
}

/** The answer to making a team, with its first team key, which is shown this once. */
export interface CreatedTeam {
  readonly id: string;
  readonly name: string;
  readonly role: "owner";
  readonly key: string;
}

/** A team with its people. */
export interface TeamDetail extends Team {
  readonly members: readonly Member[];
  readonly invitations: readonly Invitation[];
}

/** A person in a team. */
export interface Member {
  /** The member id: it names this person in this team alone, from joining to leaving, and is not the account's id. */
  readonly accountId: string;
  /** Whether this is the requesting account. */
  readonly isMe: boolean;
  readonly email: string;
  readonly name: string;
  readonly role: TeamRole;
  readonly deviceCount: number;
  /** When the last device left in the last 90 days, for those who manage the team and for oneself; else null. */
  readonly deviceLeftAt: Timestamp | null;
}

/** A device of a member, as those who manage the team see it. */
export interface TeamDevice {
  readonly id: string;
  readonly name: string;
  readonly owner: DeviceOwner;
  /** When its push service gave it up; null while it is live. */
  readonly leftAt: Timestamp | null;
}

/** An invitation that its recipient has not answered. */
export interface Invitation {
  readonly id: string;
  readonly email: string;
  readonly createdAt: Timestamp;
  readonly expiresAt: Timestamp;
}

/** The answer to inviting, with the link to hand over where no mail is set up. */
export interface CreatedInvitation extends Invitation {
  readonly link: string;
  readonly mail: InvitationMail;
}

/** What may come of the mail of an invitation. */
export const INVITATION_MAILS = ["queued", "recent", "off"] as const;

/** Whether a mail goes out now, went out within 24 hours, or never does since the server sends none. */
export type InvitationMail = (typeof INVITATION_MAILS)[number];

/** Every state in which an invitation shows itself to who holds its link. */
export const INVITATION_STATES = ["open", "expired", "accepted"] as const;

/** The state of an invitation; `accepted` is shown only to the member who accepted. */
export type InvitationState = (typeof INVITATION_STATES)[number];

/** Whether invitation mails go to an address: each way that it may be. */
export const RECIPIENT_MAILS = ["sent", "refused"] as const;

/** Whether invitation mails go to an address. */
export type RecipientMails = (typeof RECIPIENT_MAILS)[number];

/** What the token of an invitation link tells of it. */
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

/** What the token of a mailed link still tells when its invitation was answered or withdrawn. */
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

/** The request that makes a team, or gives it another name. */
export interface NewTeam {
  readonly name: string;
}

/** The request that invites a person to a team. */
export interface NewInvitation {
  readonly email: string;
}

/** The request that gives a member another role. */
export interface RoleChange {
  readonly role: TeamRole;
}

/** The body of both management requests: the team by its team API key, the person by e-mail address. */
export interface TeamInvitationRequest {
  readonly team: string;
  readonly email: string;
}

/** The answer to a management request that did what it was asked. */
export interface ManagementResult {
  readonly success: true;
  readonly message: string;
}
