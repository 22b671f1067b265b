-- Written by `npm run dump` from the migrations; never edited.

CREATE TABLE "access_token" (
  "id" text primary key,
  "account_id" text not null references "account" ("id") on delete cascade,
  "label" text not null,
  "token_hash" text not null unique,
  "created_at" bigint not null,
  "last_used_at" bigint,
  "revoked_at" bigint
);

CREATE INDEX "access_token_by_account" on "access_token" ("account_id", "id");

CREATE TABLE "account" (
  "id" text primary key,
  "name" text not null,
  "email" text not null unique,
  "email_verified" integer not null,
  "image" text,
  "is_admin" integer not null,
  "created_at" text not null,
  "updated_at" text not null,
  "suspended_at" bigint
);

CREATE INDEX "account_suspended" on "account" ("id") where "suspended_at" is not null;

CREATE TABLE "activity" (
  "audience_id" text not null,
  "day" integer not null,
  "provider" text not null,
  "state" text not null,
  "code" text not null,
  "pace" integer not null,
  "count" bigint not null,
  constraint "activity_pk" primary key ("audience_id", "day", "provider", "state", "code", "pace")
);

CREATE INDEX "activity_by_day" on "activity" ("day");

CREATE TABLE "activity_tally" (
  "id" text primary key not null,
  "audience_id" text not null,
  "day" integer not null,
  "provider" text not null,
  "state" text not null,
  "code" text not null,
  "pace" integer not null,
  "count" bigint not null
) without rowid;

CREATE TABLE "alarm_mail_hour" (
  "account_id" text not null,
  "starts_at" bigint not null,
  "alarm_count" integer not null,
  "told_count" integer not null,
  constraint "alarm_mail_hour_pk" primary key ("account_id", "starts_at")
);

CREATE INDEX "alarm_mail_hour_by_start" on "alarm_mail_hour" ("starts_at");

CREATE TABLE "api_key" (
  "id" text primary key,
  "kind" text not null,
  "account_id" text not null references "account" ("id") on delete cascade,
  "team_id" text references "team" ("id") on delete cascade,
  "label" text,
  "key_hash" text not null unique,
  "hint" text not null,
  "created_at" bigint not null,
  "last_used_at" bigint,
  "expires_at" bigint,
  "revoked_at" bigint,
  "replaced_by" text,
  "post_only_at" bigint,
  "first_key_id" text,
  "escalation_policy_id" text,
  "dialect" text,
  "channel" text
);

CREATE INDEX "api_key_by_account" on "api_key" ("account_id", "id");

CREATE INDEX "api_key_by_escalation_policy" on "api_key" ("escalation_policy_id") where "escalation_policy_id" is not null;

CREATE INDEX "api_key_by_team" on "api_key" ("team_id", "id");

CREATE TABLE "app_secret" (
  "id" text primary key,
  "device_id" text not null,
  "account_id" text not null,
  "kind" text not null,
  "secret_hash" text not null unique,
  "label" text,
  "created_at" bigint not null
);

CREATE INDEX "app_secret_by_account" on "app_secret" ("account_id");

CREATE INDEX "app_secret_by_device" on "app_secret" ("device_id");

CREATE TABLE "audit_event" (
  "id" text primary key,
  "created_at" bigint not null,
  "action" text not null,
  "actor_kind" text not null,
  "actor_account_id" text,
  "actor_credential_id" text,
  "account_id" text,
  "team_id" text,
  "subject_id" text,
  "changes" text not null,
  "user_agent" text,
  "address" text,
  "address_salt" text,
  "address_hash" text
);

CREATE INDEX "audit_event_by_account" on "audit_event" ("account_id", "id");

CREATE INDEX "audit_event_by_action" on "audit_event" ("action", "id");

CREATE INDEX "audit_event_by_actor" on "audit_event" ("actor_account_id", "id");

CREATE INDEX "audit_event_with_address" on "audit_event" ("id") where "address" is not null;

CREATE TABLE "audit_seal" (
  "day" integer primary key,
  "event_count" integer not null,
  "digest" text not null,
  "sealed_at" bigint not null
);

CREATE TABLE "backup_code" (
  "account_id" text not null references "account" ("id") on delete cascade,
  "code_hash" text not null,
  constraint "backup_code_pk" primary key ("account_id", "code_hash")
);

CREATE TABLE "callback" (
  "id" text primary key,
  "source_id" text not null,
  "event" text not null,
  "subject_id" text not null,
  "url" text not null,
  "payload" text not null,
  "created_at" bigint not null,
  "run_at" bigint,
  "attempts" integer not null,
  "failed_at" bigint,
  "last_failure" text
);

CREATE INDEX "callback_by_source" on "callback" ("source_id");

CREATE INDEX "callback_by_subject" on "callback" ("subject_id");

CREATE INDEX "callback_due" on "callback" ("run_at");

CREATE INDEX "callback_failed" on "callback" ("failed_at");

CREATE TABLE "callback_secret" (
  "id" text primary key,
  "source_id" text not null,
  "secret" text not null,
  "created_at" bigint not null,
  "expires_at" bigint
);

CREATE INDEX "callback_secret_by_source" on "callback_secret" ("source_id");

CREATE TABLE "challenge" (
  "token_hash" text primary key,
  "kind" text not null,
  "account_id" text references "account" ("id") on delete cascade,
  "content" text not null,
  "attempts" integer not null,
  "expires_at" bigint not null
);

CREATE INDEX "challenge_by_account" on "challenge" ("account_id");

CREATE TABLE "connected_app" (
  "device_id" text primary key,
  "account_id" text not null,
  "client" text not null,
  "topic" text not null,
  "last_number" bigint not null,
  "channels" text,
  "node_id" text,
  "connected_at" bigint,
  "disconnected_at" bigint,
  "iphone_since" bigint
);

CREATE INDEX "connected_app_by_account" on "connected_app" ("account_id");

CREATE INDEX "connected_app_by_node" on "connected_app" ("node_id") where "node_id" is not null;

CREATE TABLE "credential" (
  "id" text primary key,
  "account_id" text not null references "account" ("id") on delete cascade,
  "provider_id" text not null,
  "subject" text not null,
  "password" text,
  "access_token" text,
  "refresh_token" text,
  "id_token" text,
  "access_token_expires_at" text,
  "refresh_token_expires_at" text,
  "scope" text,
  "created_at" text not null,
  "updated_at" text not null
);

CREATE INDEX "credential_by_account" on "credential" ("account_id");

CREATE UNIQUE INDEX "credential_by_subject" on "credential" ("provider_id", "subject");

CREATE TABLE "delivery_page" (
  "notification_id" text not null,
  "id" text not null,
  "created_at" bigint not null,
  "results" text not null,
  "counts" text not null,
  constraint "delivery_page_pk" primary key ("notification_id", "id")
);

CREATE TABLE "device" (
  "id" text primary key,
  "account_id" text not null references "account" ("id") on delete cascade,
  "name" text not null,
  "platform" text not null,
  "provider" text not null,
  "address" text not null,
  "address_hash" text not null,
  "created_at" bigint not null,
  "registered_at" bigint not null,
  "paused_at" bigint,
  "suspect_at" bigint,
  "retired_at" bigint,
  "retired_reason" text,
  "last_state" text,
  "last_state_at" bigint,
  "action_key_hash" text,
  "action_key_at" bigint
);

CREATE UNIQUE INDEX "device_address" on "device" ("account_id", "address_hash") where "retired_at" is null;

CREATE INDEX "device_by_account" on "device" ("account_id", "id");

CREATE TABLE "device_group" (
  "id" text primary key,
  "account_id" text not null references "account" ("id") on delete cascade,
  "name" text not null,
  "created_at" bigint not null
);

CREATE INDEX "device_group_by_account" on "device_group" ("account_id", "id");

CREATE TABLE "device_group_member" (
  "group_id" text not null references "device_group" ("id") on delete cascade,
  "device_id" text not null references "device" ("id") on delete cascade,
  constraint "device_group_member_pk" primary key ("group_id", "device_id")
);

CREATE INDEX "device_group_member_by_device" on "device_group_member" ("device_id");

CREATE TABLE "escalation_policy" (
  "id" text primary key,
  "account_id" text,
  "team_id" text,
  "name" text not null,
  "folded_name" text not null,
  "steps" text not null,
  "remind_after_s" integer,
  "created_at" bigint not null,
  "updated_at" bigint not null,
  constraint "escalation_policy_one_owner" check ((account_id is null) <> (team_id is null))
);

CREATE UNIQUE INDEX "escalation_policy_by_account" on "escalation_policy" ("account_id", "folded_name");

CREATE UNIQUE INDEX "escalation_policy_by_team" on "escalation_policy" ("team_id", "folded_name");

CREATE TABLE "feed_entry" (
  "audience_id" text not null,
  "notification_id" text not null,
  "channel" text not null,
  "created_at" bigint not null,
  constraint "feed_entry_pk" primary key ("audience_id", "notification_id")
) without rowid;

CREATE INDEX "feed_entry_by_channel" on "feed_entry" ("audience_id", "channel", "notification_id", "created_at");

CREATE TABLE "feed_read" (
  "account_id" text not null,
  "notification_id" text not null,
  "read_at" bigint not null,
  "deleted_at" bigint,
  constraint "feed_read_pk" primary key ("account_id", "notification_id")
);

CREATE INDEX "feed_read_by_notification" on "feed_read" ("notification_id");

CREATE TABLE "idempotency" (
  "key_id" text not null,
  "key_hash" text not null,
  "content_hash" text not null,
  "notification_id" text not null,
  "created_at" bigint not null,
  constraint "idempotency_pk" primary key ("key_id", "key_hash")
);

CREATE INDEX "idempotency_by_age" on "idempotency" ("created_at");

CREATE TABLE "incident" (
  "id" text primary key,
  "source_kind" text not null,
  "source_id" text not null,
  "owner_account_id" text not null,
  "owner_team_id" text,
  "key_hash" text not null,
  "incident_key" text,
  "audience_kind" text not null,
  "audience_id" text not null,
  "group_id" text,
  "device_id" text,
  "state" text not null,
  "priority" text not null,
  "channel" text not null,
  "title" text not null,
  "content_hash" text not null,
  "notification_id" text not null,
  "opened_at" bigint not null,
  "last_trigger_at" bigint not null,
  "occurrences" integer not null,
  "told_at" bigint not null,
  "rings_since" bigint,
  "expires_at" bigint,
  "step" integer not null,
  "round" integer not null,
  "repeat_every_ms" bigint not null,
  "expire_after_ms" bigint not null,
  "policy" text,
  "auto_resolve_after_ms" bigint,
  "acknowledged_at" bigint,
  "acknowledged_via" text,
  "acknowledged_by" text,
  "acknowledged_on" text,
  "closed_at" bigint,
  "closed_via" text,
  "closed_by" text,
  "closed_on" text,
  "callback_url" text,
  "version" bigint not null,
  "change_id" text not null,
  "question" text
);

CREATE INDEX "incident_by_account" on "incident" ("owner_account_id", "id") where "owner_team_id" is null;

CREATE INDEX "incident_by_age" on "incident" ("last_trigger_at");

CREATE INDEX "incident_by_key" on "incident" ("source_id", "key_hash", "id");

CREATE INDEX "incident_by_team" on "incident" ("owner_team_id", "id") where "owner_team_id" is not null;

CREATE INDEX "incident_counted" on "incident" ("source_id", "closed_at") where closed_at is null and question is null and (incident_key is not null or state = 'triggered');

CREATE UNIQUE INDEX "incident_open" on "incident" ("source_id", "key_hash") where "closed_at" is null;

CREATE TABLE "incident_audience" (
  "incident_id" text not null references "incident" ("id") on delete cascade,
  "id" text not null,
  "step" integer,
  "reach" text not null,
  "audience_kind" text not null,
  "audience_id" text not null,
  "group_id" text,
  "device_id" text,
  "feed_notification_id" text,
  "closed_at" bigint,
  constraint "incident_audience_pk" primary key ("incident_id", "id")
);

CREATE INDEX "incident_audience_by_feed" on "incident_audience" ("audience_id", "incident_id");

CREATE INDEX "incident_audience_open" on "incident_audience" ("audience_id", "incident_id") where "closed_at" is null;

CREATE TABLE "incident_event" (
  "incident_id" text not null references "incident" ("id") on delete cascade,
  "id" text not null,
  "kind" text not null,
  "at" bigint not null,
  "account_id" text,
  "device_id" text,
  "via" text,
  "notification_id" text,
  "detail" text not null,
  constraint "incident_event_pk" primary key ("incident_id", "id")
);

CREATE INDEX "incident_event_by_account" on "incident_event" ("account_id", "id") where "account_id" is not null;

CREATE TABLE "invitation" (
  "id" text primary key,
  "team_id" text not null references "team" ("id") on delete cascade,
  "email" text not null,
  "invited_by" text not null references "account" ("id") on delete cascade,
  "token_hash" text not null unique,
  "mail_token_hash" text not null unique,
  "created_at" bigint not null,
  "expires_at" bigint not null,
  "mailed_at" bigint,
  "accepted_at" bigint,
  "declined_at" bigint,
  "revoked_at" bigint
);

CREATE INDEX "invitation_by_inviter" on "invitation" ("invited_by", "created_at");

CREATE INDEX "invitation_by_recipient" on "invitation" ("email", "created_at");

CREATE UNIQUE INDEX "invitation_unanswered" on "invitation" ("team_id", "email") where "accepted_at" is null and "declined_at" is null and "revoked_at" is null;

CREATE TABLE "left_device" (
  "device_id" text primary key,
  "account_id" text not null,
  "left_at" bigint not null,
  "run_at" bigint,
  "notification_id" text
);

CREATE INDEX "left_device_by_account" on "left_device" ("account_id", "notification_id");

CREATE INDEX "left_device_due" on "left_device" ("run_at");

CREATE TABLE "mail_message" (
  "id" text primary key,
  "purpose" text not null,
  "recipient" text not null,
  "subject" text not null,
  "text" text not null,
  "link" text not null,
  "created_at" bigint not null,
  "run_at" bigint not null,
  "attempts" integer not null,
  "held_ms" bigint default 0 not null
);

CREATE INDEX "mail_message_due" on "mail_message" ("run_at");

CREATE TABLE "mail_refusal" (
  "address_hash" text primary key,
  "refused_at" bigint not null
);

CREATE TABLE "mailbox" (
  "device_id" text not null,
  "number" bigint not null,
  "notification_id" text not null,
  "expires_at" bigint not null,
  "put_at" bigint not null,
  "taken_at" bigint,
  "how" text,
  "removed_at" bigint,
  constraint "mailbox_key" primary key ("device_id", "number")
) without rowid;

CREATE UNIQUE INDEX "mailbox_by_notification" on "mailbox" ("notification_id", "device_id");

CREATE INDEX "mailbox_owed" on "mailbox" ("device_id", "number") where "taken_at" is null;

CREATE INDEX "mailbox_owed_by_time" on "mailbox" ("put_at", "expires_at", "device_id") where "taken_at" is null;

CREATE TABLE "notification" (
  "id" text primary key,
  "audience_kind" text not null,
  "audience_id" text not null,
  "group_id" text,
  "device_id" text,
  "key_id" text,
  "title" text not null,
  "body" text not null,
  "sound" text,
  "channel" text not null,
  "link" text,
  "image" text,
  "time_sensitive" integer not null,
  "created_at" bigint not null,
  "expires_at" bigint not null,
  "device_count" integer,
  "markdown" integer default 0 not null,
  "icon" text,
  "priority" text,
  "incident_id" text,
  "prompt_id" text,
  "cause" text,
  "actions" text,
  "extras" text
);

CREATE INDEX "notification_acting" on "notification" ("audience_id", "id") where "cause" is not null;

CREATE TABLE "paired_session" (
  "session_id" text primary key references "session" ("id") on delete cascade
);

CREATE TABLE "pairing" (
  "id" text primary key,
  "account_id" text not null references "account" ("id") on delete cascade,
  "session_id" text not null references "session" ("id") on delete cascade,
  "token_hash" text not null unique,
  "code_hash" text unique,
  "expires_at" bigint not null,
  "used_at" bigint
);

CREATE INDEX "pairing_by_account" on "pairing" ("account_id", "id");

CREATE INDEX "pairing_by_session" on "pairing" ("session_id");

CREATE TABLE "passkey" (
  "id" text primary key,
  "account_id" text not null references "account" ("id") on delete cascade,
  "name" text not null,
  "credential_id" text not null unique,
  "public_key" text not null,
  "sign_count" bigint not null,
  "created_at" bigint not null,
  "last_used_at" bigint
);

CREATE INDEX "passkey_by_account" on "passkey" ("account_id", "id");

CREATE TABLE "prompt" (
  "id" text primary key references "incident" ("id") on delete cascade,
  "state" text not null,
  "answers_needed" integer not null,
  "choice" text,
  "answer_text" text
);

CREATE INDEX "prompt_by_state" on "prompt" ("state", "id");

CREATE TABLE "prompt_answer" (
  "prompt_id" text not null references "prompt" ("id") on delete cascade,
  "account_id" text not null,
  "choice" text,
  "answer_text" text,
  "device_id" text,
  "via" text not null,
  "at" bigint not null,
  "first_at" bigint not null,
  constraint "prompt_answer_pk" primary key ("prompt_id", "account_id")
);

CREATE INDEX "prompt_answer_by_account" on "prompt_answer" ("account_id");

CREATE TABLE "send_job" (
  "id" text primary key not null,
  "notification_id" text not null,
  "lane" integer not null,
  "kind" text not null,
  "range_after" text not null,
  "range_up_to" text not null,
  "pending" text,
  "run_at" bigint not null,
  "epoch" integer not null,
  "crashes" integer not null,
  "owner" text not null,
  "expires_at" bigint not null,
  "marked" text,
  "suspected" text
) without rowid;

CREATE INDEX "send_job_by_notification" on "send_job" ("notification_id");

CREATE INDEX "send_job_due" on "send_job" ("lane", "run_at", "id");

CREATE TABLE "send_job_wait" (
  "job_id" text not null,
  "service" text not null,
  constraint "send_job_wait_key" primary key ("job_id", "service")
);

CREATE INDEX "send_job_wait_service" on "send_job_wait" ("service", "job_id");

CREATE TABLE "session" (
  "id" text primary key,
  "account_id" text not null references "account" ("id") on delete cascade,
  "token" text not null unique,
  "expires_at" text not null,
  "ip_address" text,
  "user_agent" text,
  "created_at" text not null,
  "updated_at" text not null
);

CREATE INDEX "session_by_account" on "session" ("account_id");

CREATE TABLE "setting" (
  "name" text primary key,
  "value" text not null,
  "changed_at" bigint not null
);

CREATE TABLE "setup_token" (
  "token_hash" text primary key,
  "created_at" bigint not null
);

CREATE TABLE "sign_up_invitation" (
  "id" text primary key,
  "email" text,
  "token_hash" text not null unique,
  "mail_token_hash" text unique,
  "invited_by" text not null references "account" ("id") on delete cascade,
  "created_at" bigint not null,
  "expires_at" bigint not null
);

CREATE TABLE "team" (
  "id" text primary key,
  "name" text not null,
  "created_at" bigint not null
);

CREATE TABLE "team_member" (
  "id" text primary key,
  "team_id" text not null references "team" ("id") on delete cascade,
  "account_id" text not null references "account" ("id") on delete cascade,
  "role" text not null,
  "joined_at" bigint not null,
  "left_at" bigint
);

CREATE INDEX "team_member_by_account" on "team_member" ("account_id", "team_id");

CREATE UNIQUE INDEX "team_member_present" on "team_member" ("team_id", "account_id") where "left_at" is null;

CREATE TABLE "timer" (
  "id" text primary key,
  "kind" text not null,
  "subject_id" text not null,
  "run_at" bigint not null,
  "due_at" bigint not null,
  "set_at" bigint not null,
  "is_absolute" integer not null,
  "failures" integer not null
);

CREATE INDEX "timer_by_set_at" on "timer" ("set_at");

CREATE INDEX "timer_due" on "timer" ("due_at", "id");

CREATE UNIQUE INDEX "timer_subject" on "timer" ("subject_id", "kind");

CREATE TABLE "two_factor" (
  "account_id" text primary key references "account" ("id") on delete cascade,
  "secret" text not null,
  "created_at" bigint not null,
  "confirmed_at" bigint,
  "last_step" bigint not null
);

CREATE TABLE "verification" (
  "id" text primary key,
  "identifier" text not null,
  "value" text not null,
  "expires_at" text not null,
  "created_at" text not null,
  "updated_at" text not null
);

CREATE INDEX "verification_by_identifier" on "verification" ("identifier");
