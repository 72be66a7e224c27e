-- Compares uuid and text in the constraint that guards re-entry; a trusted extension, so the owner of a database may add it.
CREATE EXTENSION IF NOT EXISTS "btree_gist";

-- Members ------------------------------------------------------------------------------------------------------------

CREATE TABLE "members" (
  "account_id" BIGINT NOT NULL,
  "id" TEXT NOT NULL,
  "uuid" TEXT,
  "name" TEXT,
  "email" TEXT,
  "status" TEXT,
  "tier_ids" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],
  "enable_updates_and_announcements" BOOLEAN,
  "newsletter_ids" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],
  "fact_times" JSONB NOT NULL DEFAULT '{}',
  "signed_up_at" TIMESTAMPTZ(6),
  "deleted_at" TIMESTAMPTZ(6),
  "gone" BOOLEAN NOT NULL DEFAULT false,
  "opted_out_at" TIMESTAMPTZ(6),
  "unpaid_at" TIMESTAMPTZ(6),
  "subscribed_at" TIMESTAMPTZ(6),
  "subscribed_status" TEXT,
  "subscribed_tier_ids" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],
  "search_text" TEXT NOT NULL DEFAULT '',
  "revision" BIGINT NOT NULL DEFAULT 0,
  CONSTRAINT "members_pkey" PRIMARY KEY ("account_id", "id"),
  CONSTRAINT "members_status_check" CHECK ("status" IN ('free', 'paid', 'comped', 'gift')),
  CONSTRAINT "members_gone_check" CHECK ("gone" = ("deleted_at" IS NOT NULL AND coalesce("signed_up_at" <= "deleted_at", true))),
  CONSTRAINT "members_subscribed_check" CHECK (("subscribed_at" IS NULL) = ("subscribed_status" IS NULL)),
  CONSTRAINT "members_subscribed_status_check" CHECK ("subscribed_status" IN ('paid', 'gift'))
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 10000);

-- Automations --------------------------------------------------------------------------------------------------------

CREATE TABLE "automations" (
  "id" UUID NOT NULL,
  "account_id" BIGINT NOT NULL,
  "slug" TEXT,
  "name" TEXT NOT NULL,
  "description" TEXT NOT NULL,
  "status" TEXT NOT NULL,
  "trigger_tier_scope" TEXT,
  "trigger_tier_ids" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],
  "re_entry" TEXT NOT NULL DEFAULT 'always',
  "re_entry_days" INTEGER,
  "version" BIGINT NOT NULL DEFAULT 1,
  "created_at" TIMESTAMPTZ(6) NOT NULL,
  "updated_at" TIMESTAMPTZ(6) NOT NULL,
  CONSTRAINT "automations_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "automations_name_check" CHECK (char_length("name") BETWEEN 1 AND 191),
  CONSTRAINT "automations_description_check" CHECK (char_length("description") <= 2000),
  CONSTRAINT "automations_status_check" CHECK ("status" IN ('active', 'inactive')),
  CONSTRAINT "automations_trigger_tier_scope_check" CHECK ("trigger_tier_scope" IN ('free', 'all_paid', 'selected_paid')),
  CONSTRAINT "automations_trigger_tier_ids_check"
    CHECK ((coalesce("trigger_tier_scope", '') = 'selected_paid') = (cardinality("trigger_tier_ids") > 0)),
  CONSTRAINT "automations_re_entry_check" CHECK ("re_entry" IN ('always', 'once', 'after_days')),
  CONSTRAINT "automations_re_entry_days_check" CHECK (
    ("re_entry" = 'after_days') = ("re_entry_days" IS NOT NULL) AND coalesce("re_entry_days" BETWEEN 1 AND 3650, true)),
  CONSTRAINT "automations_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX "automations_account_id_name_key" ON "automations"("account_id", "name");
CREATE UNIQUE INDEX "automations_account_id_slug_key" ON "automations"("account_id", "slug");

-- The path is the order of the positions, so it cannot branch, loop or fall apart. Edges are made of it for answers.
CREATE TABLE "automation_actions" (
  "id" UUID NOT NULL,
  "account_id" BIGINT NOT NULL,
  "automation_id" UUID NOT NULL,
  "type" TEXT NOT NULL,
  "position" INTEGER,
  "created_at" TIMESTAMPTZ(6) NOT NULL,
  "deleted_at" TIMESTAMPTZ(6),
  CONSTRAINT "automation_actions_pkey" PRIMARY KEY ("id"),
  -- Checked at the end of the transaction: a save may let actions change places.
  CONSTRAINT "automation_actions_automation_id_position_key" UNIQUE ("automation_id", "position") DEFERRABLE INITIALLY DEFERRED,
  CONSTRAINT "automation_actions_type_check" CHECK ("type" IN ('wait', 'send_email')),
  CONSTRAINT "automation_actions_position_check"
    CHECK (("position" IS NULL) = ("deleted_at" IS NOT NULL) AND coalesce("position" BETWEEN 0 AND 49, true)),
  CONSTRAINT "automation_actions_automation_id_fkey" FOREIGN KEY ("automation_id") REFERENCES "automations"("id") ON DELETE CASCADE ON UPDATE CASCADE
);

CREATE TABLE "automation_action_revisions" (
  "id" UUID NOT NULL,
  "account_id" BIGINT NOT NULL,
  "action_id" UUID NOT NULL,
  "wait_hours" INTEGER,
  "email_subject" TEXT,
  "email_body" TEXT,
  "email_format" TEXT,
  "created_at" TIMESTAMPTZ(6) NOT NULL,
  "sent_count" BIGINT NOT NULL DEFAULT 0,
  "delivered_count" BIGINT NOT NULL DEFAULT 0,
  "opened_count" BIGINT NOT NULL DEFAULT 0,
  "clicked_count" BIGINT NOT NULL DEFAULT 0,
  "open_tracked_count" BIGINT NOT NULL DEFAULT 0,
  "click_tracked_count" BIGINT NOT NULL DEFAULT 0,
  CONSTRAINT "automation_action_revisions_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "automation_action_revisions_content_check"
    CHECK (num_nonnulls("email_subject", "email_body", "email_format") = CASE WHEN "wait_hours" IS NULL THEN 3 ELSE 0 END),
  CONSTRAINT "automation_action_revisions_wait_hours_check" CHECK ("wait_hours" BETWEEN 1 AND 720),
  CONSTRAINT "automation_action_revisions_email_subject_check" CHECK (char_length("email_subject") <= 300),
  CONSTRAINT "automation_action_revisions_email_format_check" CHECK ("email_format" IN ('markdown', 'html', 'lexical')),
  CONSTRAINT "automation_action_revisions_action_id_fkey" FOREIGN KEY ("action_id") REFERENCES "automation_actions"("id") ON DELETE CASCADE ON UPDATE CASCADE
) WITH (
  -- Counters are raised with every send and event; none of them is indexed.
  fillfactor = 70
);
CREATE UNIQUE INDEX "automation_action_revisions_action_id_created_at_key" ON "automation_action_revisions"("action_id", "created_at");

-- Runs ---------------------------------------------------------------------------------------------------------------

CREATE TABLE "automation_runs" (
  "id" UUID NOT NULL,
  "account_id" BIGINT NOT NULL,
  "automation_id" UUID NOT NULL,
  "member_id" TEXT NOT NULL,
  "member_email" TEXT,
  "event_id" TEXT NOT NULL,
  "re_entry_policy" TEXT,
  "re_entry_until" TIMESTAMPTZ(6),
  -- Milliseconds: runs are ordered and paged by what is reported.
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "status" TEXT,
  "ended_at" TIMESTAMPTZ(6),
  "end_reason" TEXT,
  CONSTRAINT "automation_runs_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "automation_runs_end_reason_check" CHECK ("end_reason" IN ('completed', 'failed', 'automation_disabled',
    'member_status_changed', 'member_tier_changed', 'member_unsubscribed', 'path_cut', 'turned_off')),
  CONSTRAINT "automation_runs_ended_check" CHECK (("ended_at" IS NULL) = ("end_reason" IS NULL)),
  -- The classification of a run follows from why it ended. Null: no step was recorded, the run is left out of statistics.
  CONSTRAINT "automation_runs_status_check" CHECK (coalesce("status" = CASE
    WHEN "end_reason" IS NULL THEN 'in_progress'
    WHEN "end_reason" IN ('completed', 'path_cut', 'turned_off') THEN 'completed'
    ELSE 'exited_early' END, "end_reason" IS NULL)),
  CONSTRAINT "automation_runs_re_entry_check" CHECK (("re_entry_policy" IS NULL) = ("re_entry_until" IS NULL)),
  -- A run keeps the others of its automation and member that were made under the same policy out of its span. Runs that
  -- keep nobody out, the usual ones, are not in the index.
  CONSTRAINT "automation_runs_re_entry_excl" EXCLUDE USING gist ("automation_id" WITH =, "member_id" WITH =,
    "re_entry_policy" WITH =, tstzrange("created_at", "re_entry_until") WITH &&) WHERE ("re_entry_until" IS NOT NULL)
) WITH (
  fillfactor = 80, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 10000,
  autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 1
);
-- The same event never starts a run twice.
CREATE UNIQUE INDEX "automation_runs_automation_id_event_id_key" ON "automation_runs"("automation_id", "event_id");
CREATE INDEX "automation_runs_automation_id_created_at_id_idx" ON "automation_runs"("automation_id", "created_at", "id");
-- Of one status; and alone enough to count all of them by entry time.
CREATE INDEX "automation_runs_automation_id_status_created_at_id_idx" ON "automation_runs"("automation_id", "status", "created_at", "id");
CREATE INDEX "automation_runs_automation_id_member_id_created_at_idx" ON "automation_runs"("automation_id", "member_id", "created_at");

CREATE TABLE "automation_steps" (
  "id" UUID NOT NULL,
  "account_id" BIGINT NOT NULL,
  "automation_id" UUID NOT NULL,
  "run_id" UUID NOT NULL,
  "action_id" UUID NOT NULL,
  "revision_id" UUID NOT NULL,
  "followed" BOOLEAN NOT NULL,
  "status" TEXT NOT NULL DEFAULT 'pending',
  "ready_at" TIMESTAMPTZ(6) NOT NULL,
  "attempts" INTEGER NOT NULL DEFAULT 0,
  "lock_token" UUID,
  "locked_at" TIMESTAMPTZ(6),
  "error" TEXT,
  "created_at" TIMESTAMPTZ(6) NOT NULL,
  "updated_at" TIMESTAMPTZ(6) NOT NULL,
  "started_at" TIMESTAMPTZ(6),
  "finished_at" TIMESTAMPTZ(6),
  "traceparent" TEXT,
  CONSTRAINT "automation_steps_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "automation_steps_status_check" CHECK ("status" IN ('pending', 'finished', 'failed', 'automation_disabled',
    'member_status_changed', 'member_tier_changed', 'member_unsubscribed')),
  CONSTRAINT "automation_steps_finished_check" CHECK (("status" = 'pending') = ("finished_at" IS NULL)),
  CONSTRAINT "automation_steps_locked_check"
    CHECK (("lock_token" IS NULL) = ("locked_at" IS NULL) AND ("status" = 'pending' OR "lock_token" IS NULL)),
  CONSTRAINT "automation_steps_attempts_check" CHECK ("attempts" >= 0)
) WITH (
  fillfactor = 80, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 10000,
  autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 1
);
CREATE INDEX "automation_steps_run_id_created_at_id_idx" ON "automation_steps"("run_id", "created_at", "id");
-- Whatever happens at once, a run stands at one place.
CREATE UNIQUE INDEX "automation_steps_pending_run_key" ON "automation_steps"("run_id") WHERE "status" = 'pending';
CREATE INDEX "automation_steps_ready_idx" ON "automation_steps"("ready_at", "created_at", "id") WHERE "status" = 'pending';
-- Without locked_at, so that taking over a lock touches no index; the locked steps are few.
CREATE INDEX "automation_steps_locked_idx" ON "automation_steps"("id") WHERE "lock_token" IS NOT NULL;
-- Turning off, and showing who waits where.
CREATE INDEX "automation_steps_waiting_idx" ON "automation_steps"("automation_id", "action_id") WHERE "status" = 'pending';
-- Empty: the status check refuses such steps. If one is there nevertheless, statistics find it at once and fail.
CREATE INDEX "automation_steps_unknown_idx" ON "automation_steps"("automation_id", "run_id") WHERE "status" NOT IN ('pending',
  'finished', 'failed', 'automation_disabled', 'member_status_changed', 'member_tier_changed', 'member_unsubscribed');

-- E-mails ------------------------------------------------------------------------------------------------------------

-- One per e-mail step, written before the mail is sent: its Message-ID follows from the step's id.
CREATE TABLE "automation_emails" (
  "id" UUID NOT NULL,
  "account_id" BIGINT NOT NULL,
  "message_id" TEXT NOT NULL,
  "automation_id" UUID NOT NULL,
  "run_id" UUID NOT NULL,
  "step_id" UUID NOT NULL,
  "action_id" UUID NOT NULL,
  "revision_id" UUID NOT NULL,
  "member_id" TEXT NOT NULL,
  "recipient_email" TEXT,
  "recipient_name" TEXT,
  "status" TEXT NOT NULL,
  "tracks_opens" BOOLEAN NOT NULL,
  "tracks_clicks" BOOLEAN NOT NULL,
  "error" TEXT,
  "created_at" TIMESTAMPTZ(6) NOT NULL,
  "updated_at" TIMESTAMPTZ(6) NOT NULL,
  "sent_at" TIMESTAMPTZ(6),
  "delivered_at" TIMESTAMPTZ(6),
  "opened_at" TIMESTAMPTZ(6),
  "clicked_at" TIMESTAMPTZ(6),
  "bounced_at" TIMESTAMPTZ(6),
  "complained_at" TIMESTAMPTZ(6),
  CONSTRAINT "automation_emails_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "automation_emails_status_check" CHECK ("status" IN ('sending', 'sent', 'deferred', 'failed', 'unknown')),
  CONSTRAINT "automation_emails_sent_check" CHECK (("status" = 'sent') = ("sent_at" IS NOT NULL))
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 10000);
CREATE UNIQUE INDEX "automation_emails_account_id_message_id_key" ON "automation_emails"("account_id", "message_id");
CREATE INDEX "automation_emails_step_id_idx" ON "automation_emails"("step_id");
-- When a member is deleted the snapshots of their name and address go.
CREATE INDEX "automation_emails_account_id_member_id_idx" ON "automation_emails"("account_id", "member_id");

-- Where the mails of a revision lead to: known when it is saved, so that links nobody followed are listed as well.
CREATE TABLE "automation_email_links" (
  "id" BIGSERIAL NOT NULL,
  "account_id" BIGINT NOT NULL,
  "action_id" UUID NOT NULL,
  "revision_id" UUID NOT NULL,
  "url" TEXT NOT NULL,
  CONSTRAINT "automation_email_links_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "automation_email_links_revision_id_fkey" FOREIGN KEY ("revision_id") REFERENCES "automation_action_revisions"("id") ON DELETE CASCADE ON UPDATE CASCADE
);
-- Addresses may be longer than an index entry.
CREATE UNIQUE INDEX "automation_email_links_revision_url_key" ON "automation_email_links"("revision_id", md5("url"));
CREATE INDEX "automation_email_links_action_id_idx" ON "automation_email_links"("action_id");

-- What was reported of a mail, all of it; the first of each kind stands with the mail and is counted.
CREATE TABLE "automation_email_events" (
  "id" BIGSERIAL NOT NULL,
  "account_id" BIGINT NOT NULL,
  "email_id" UUID NOT NULL,
  "action_id" UUID NOT NULL,
  "member_id" TEXT NOT NULL,
  "type" TEXT NOT NULL,
  "url" TEXT NOT NULL DEFAULT '',
  "occurred_at" TIMESTAMPTZ(6) NOT NULL,
  CONSTRAINT "automation_email_events_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "automation_email_events_type_check" CHECK ("type" IN ('delivered', 'opened', 'clicked', 'bounced', 'complained')),
  CONSTRAINT "automation_email_events_url_check" CHECK ("type" = 'clicked' OR "url" = '')
);
CREATE UNIQUE INDEX "automation_email_events_once_key"
  ON "automation_email_events"("email_id", "type", "occurred_at", md5("url"));
CREATE INDEX "automation_email_events_clicked_idx" ON "automation_email_events"("action_id") WHERE "type" = 'clicked';
