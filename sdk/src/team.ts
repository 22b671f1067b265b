import type { DeviceOwner } from "./delivery.ts";
import type { Timestamp } from "./page.ts";

/** All roles in a team, most powerful first. */
export const TEAM_ROLES = ["owner", "admin", "member"] as const;

/** The role of an account in a team. */
export type TeamRole = (typeof TEAM_ROLES)[number];

/** A team and the account's role in it. */
export interface Team {
  readonly id: string;
  readonly name: string;
  readonly role: TeamRole;
}

/** A new team with its first team key; only this response contains `key`. */
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
  /**
   * The member id: it identifies this person only in this team, from joining to leaving, and is not the account's id.
   */
  readonly accountId: string;
  /** Whether this member is the requesting account. */
  readonly isMe: boolean;
  readonly email: string;
  readonly name: string;
  readonly role: TeamRole;
  readonly deviceCount: number;
  /**
   * The last time that a device left, within 90 days. Shown only to managers of the team and to the member; else null.
   */
  readonly deviceLeftAt: Timestamp | null;
}

/** A member's device as managers of the team see it. */
export interface TeamDevice {
  readonly id: string;
  readonly name: string;
  readonly owner: DeviceOwner;
  /** The time at which the device stopped being registered; null while it is registered. */
  readonly leftAt: Timestamp | null;
}

/** An unanswered invitation. */
export interface Invitation {
  readonly id: string;
  readonly email: string;
  readonly createdAt: Timestamp;
  readonly expiresAt: Timestamp;
}

/** A new invitation, with the link to pass on if no email is set up. */
export interface CreatedInvitation extends Invitation {
  readonly link: string;
  readonly mail: InvitationMail;
}

/** All states of an invitation's email. */
export const INVITATION_MAILS = ["queued", "recent", "off"] as const;

/**
 * Whether an email is sent now (`queued`), is not sent because the address was emailed enough within 24 hours or
 * unsubscribed (`recent`), or is never sent because email is not set up (`off`).
 */
export type InvitationMail = (typeof INVITATION_MAILS)[number];

/** The states of an invitation that its link shows. */
export const INVITATION_STATES = ["open", "expired", "accepted"] as const;

/** The state of an invitation; `accepted` is shown only to the member who accepted. */
export type InvitationState = (typeof INVITATION_STATES)[number];

/** All states of invitation emails to an address. */
export const RECIPIENT_MAILS = ["sent", "refused"] as const;

/** Whether invitation emails are sent to an address. */
export type RecipientMails = (typeof RECIPIENT_MAILS)[number];

/** An invitation as its link shows it. */
export interface InvitationPreview {
  readonly team: { readonly name: string };
  readonly invitedBy: { readonly name: string };
  /** The invited email address. */
  readonly email: string;
  /** Whether the token was emailed, so that signing up with it proves the email address. */
  readonly isMailed: boolean;
  readonly expiresAt: Timestamp;
  readonly state: InvitationState;
  /**
   * Whether invitation emails are sent to the address; null for a link that was not emailed, which cannot change this.
   */
  readonly mails: RecipientMails | null;
}

/** The part of an answered or revoked invitation that its emailed link still shows. */
export interface EndedInvitation {
  readonly state: "over";
  /** The invited email address. */
  readonly email: string;
  readonly mails: RecipientMails;
}

/** A pending invitation to the account's email address. */
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

/** The body of both management requests: `team` is a team API key, `email` the address of the person. */
export interface TeamInvitationRequest {
  readonly team: string;
  readonly email: string;
}

/** The response to a successful management request. */
export interface ManagementResult {
  readonly success: true;
  readonly message: string;
}
