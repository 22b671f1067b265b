import { sql } from "kysely";

/**
 * The condition that a message in `mailbox` may still be given to its app for the first time: the owner of the app has
 * not left the team to which the message was sent.
 */
export const IS_FOR_MEMBER = sql<boolean>`not exists (
  select 1 from notification as sent where sent.id = mailbox.notification_id and sent.audience_kind = 'team'
    and not exists (
      select 1 from team_member
      inner join connected_app on connected_app.account_id = team_member.account_id
      where team_member.team_id = sent.audience_id and team_member.left_at is null
        and connected_app.device_id = mailbox.device_id
    ))`;

/** The condition that a message was given to its app, or may still be given. */
export const IS_GIVEN_OR_FOR_MEMBER = sql<boolean>`(mailbox.taken_at is not null or ${IS_FOR_MEMBER})`;
