-- Instants are timestamptz(6) at rest and integer microseconds in code. Both functions are inlined by the planner, which
-- is five to eight times faster than calling them; it only does so because the detour over UTC keeps the bodies immutable.
CREATE FUNCTION "dwell_micros"(timestamptz) RETURNS bigint
  LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  AS $$ SELECT (extract(epoch FROM $1 AT TIME ZONE 'UTC') * 1000000)::bigint $$;

CREATE FUNCTION "dwell_instant"(bigint) RETURNS timestamptz
  LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  AS $$ SELECT (timestamp '1970-01-01 00:00:00' + $1 * interval '1 microsecond') AT TIME ZONE 'UTC' $$;

-- Accounts -----------------------------------------------------------------------------------------------------------

CREATE TABLE "accounts" (
  "id" BIGSERIAL NOT NULL,
  "name" TEXT NOT NULL,
  "features" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],
  "settings" JSONB NOT NULL DEFAULT '{}',
  "rules_version" BIGINT NOT NULL DEFAULT 1,
  "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "updated_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "accounts_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "account_tokens" (
  "id" BIGSERIAL NOT NULL,
  "account_id" BIGINT NOT NULL,
  "name" TEXT NOT NULL,
  "role" TEXT NOT NULL,
  "token_digest" TEXT NOT NULL,
  "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "account_tokens_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "account_tokens_role_check" CHECK ("role" IN ('administrator', 'agent')),
  CONSTRAINT "account_tokens_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX "account_tokens_token_digest_key" ON "account_tokens"("token_digest");
CREATE INDEX "account_tokens_account_id_idx" ON "account_tokens"("account_id");

CREATE TABLE "custom_attribute_definitions" (
  "id" BIGSERIAL NOT NULL,
  "account_id" BIGINT NOT NULL,
  "attribute_key" TEXT NOT NULL,
  "attribute_display_name" TEXT NOT NULL,
  "attribute_display_type" TEXT NOT NULL,
  "attribute_model" TEXT NOT NULL,
  "attribute_values" JSONB,
  "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "custom_attribute_definitions_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "custom_attribute_definitions_display_type_check"
    CHECK ("attribute_display_type" IN ('text', 'number', 'link', 'date', 'list', 'checkbox')),
  CONSTRAINT "custom_attribute_definitions_model_check"
    CHECK ("attribute_model" IN ('conversation_attribute', 'contact_attribute')),
  CONSTRAINT "custom_attribute_definitions_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX "custom_attribute_definitions_account_id_attribute_model_att_key"
  ON "custom_attribute_definitions"("account_id", "attribute_model", "attribute_key");

-- The installation ---------------------------------------------------------------------------------------------------

CREATE TABLE "installation_configs" (
  "name" TEXT NOT NULL,
  "value" JSONB NOT NULL,
  "updated_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "installation_configs_pkey" PRIMARY KEY ("name")
);

CREATE TABLE "audit_logs" (
  "id" BIGSERIAL NOT NULL,
  "account_id" BIGINT,
  "actor" TEXT NOT NULL,
  "action" TEXT NOT NULL,
  "subject" TEXT NOT NULL,
  "details" JSONB NOT NULL DEFAULT '{}',
  "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "audit_logs_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "audit_logs_account_id_id_idx" ON "audit_logs"("account_id", "id");

CREATE TABLE "sweeps" (
  "id" BIGSERIAL NOT NULL,
  "started_at" TIMESTAMPTZ(6) NOT NULL,
  "trigger" TEXT NOT NULL,
  "event" TEXT NOT NULL,
  "due" INTEGER NOT NULL,
  "enqueued" INTEGER NOT NULL,
  "capped" BOOLEAN NOT NULL,
  "remaining" INTEGER NOT NULL,
  "expired" INTEGER NOT NULL,
  "reclaimed" INTEGER NOT NULL,
  "flag_disabled" INTEGER NOT NULL,
  "duration_ms" DOUBLE PRECISION NOT NULL,
  CONSTRAINT "sweeps_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "sweeps_trigger_check" CHECK ("trigger" IN ('schedule', 'wake', 'boot', 'request')),
  CONSTRAINT "sweeps_event_check" CHECK ("event" IN ('completed', 'disabled'))
);
CREATE INDEX "sweeps_started_at_idx" ON "sweeps"("started_at");

-- Rules --------------------------------------------------------------------------------------------------------------

CREATE TABLE "automation_rules" (
  "id" BIGSERIAL NOT NULL,
  "account_id" BIGINT NOT NULL,
  "name" TEXT NOT NULL,
  "description" TEXT,
  "event_name" TEXT NOT NULL,
  "conditions" JSONB NOT NULL DEFAULT '[]',
  "actions" JSONB NOT NULL DEFAULT '[]',
  "active" BOOLEAN NOT NULL DEFAULT true,
  "execution_delay" INTEGER,
  "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "updated_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "deleted_at" TIMESTAMPTZ(6),
  CONSTRAINT "automation_rules_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "automation_rules_execution_delay_check" CHECK ("execution_delay" BETWEEN 10 AND 43200),
  CONSTRAINT "automation_rules_event_name_check" CHECK ("event_name" IN
    ('conversation_created', 'conversation_updated', 'conversation_opened', 'conversation_resolved', 'message_created')),
  CONSTRAINT "automation_rules_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX "automation_rules_account_id_id_idx" ON "automation_rules"("account_id", "id");

CREATE TABLE "automation_rule_pending_executions" (
  "id" BIGSERIAL NOT NULL,
  "account_id" BIGINT NOT NULL,
  "automation_rule_id" BIGINT NOT NULL,
  "conversation_id" BIGINT NOT NULL,
  "message_id" BIGINT,
  "message_created_at" TIMESTAMPTZ(6),
  "due_at" TIMESTAMPTZ(6) NOT NULL,
  "episode_key" TEXT NOT NULL,
  "status" TEXT NOT NULL DEFAULT 'pending',
  "skip_reason" TEXT,
  "armed_at" TIMESTAMPTZ(6) NOT NULL,
  "claim_token" UUID,
  "claimed_at" TIMESTAMPTZ(6),
  "created_at" TIMESTAMPTZ(6) NOT NULL,
  "updated_at" TIMESTAMPTZ(6) NOT NULL,
  "executed_at" TIMESTAMPTZ(6),
  "finished_at" TIMESTAMPTZ(6),
  "guard_outcome" JSONB,
  "traceparent" TEXT,
  CONSTRAINT "automation_rule_pending_executions_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "pending_executions_status_check" CHECK ("status" IN ('pending', 'processing', 'executed', 'skipped')),
  CONSTRAINT "pending_executions_skip_reason_check" CHECK ("skip_reason" IN ('rule_inactive', 'flag_disabled',
    'conversation_gone', 'episode_moved', 'conditions_changed', 'expired', 'rule_changed')),
  CONSTRAINT "pending_executions_skipped_check" CHECK (("status" = 'skipped') = ("skip_reason" IS NOT NULL)),
  CONSTRAINT "pending_executions_claimed_check"
    CHECK (("status" = 'processing') = ("claim_token" IS NOT NULL) AND ("claim_token" IS NULL) = ("claimed_at" IS NULL)),
  CONSTRAINT "pending_executions_executed_check" CHECK (("status" = 'executed') = ("executed_at" IS NOT NULL)),
  CONSTRAINT "pending_executions_finished_check" CHECK (("status" IN ('executed', 'skipped')) = ("finished_at" IS NOT NULL)),
  CONSTRAINT "pending_executions_message_check" CHECK (("message_id" IS NULL) = ("message_created_at" IS NULL))
) WITH (
  -- A row is rewritten three or four times in its life (claim, take-over, finish, sometimes a newer anchor). No index holds
  -- what a claim changes, so with room on the page claims and take-overs write no index at all. Rows that were armed
  -- together lie together and come due together, hence room for all of a page: half of it. docs/adr/0002. Dead entries of
  -- the partial indexes slow empty polls, so the table is vacuumed after ten thousand dead rows, not after a fifth of its size.
  fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 10000,
  autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 1
);
CREATE UNIQUE INDEX "uniq_automation_pending_execution_episode"
  ON "automation_rule_pending_executions"("automation_rule_id", "conversation_id", "episode_key");
CREATE INDEX "automation_rule_pending_executions_account_id_id_idx"
  ON "automation_rule_pending_executions"("account_id", "id");
CREATE INDEX "automation_rule_pending_executions_account_id_conversation__idx"
  ON "automation_rule_pending_executions"("account_id", "conversation_id", "id");
-- What has not ended: an idle sweep costs nothing and terminal history is not in the way. By finished_at, not by status: a
-- claim would have to leave an index of pending rows, and then writes every index of the row.
CREATE INDEX "pending_executions_due_idx" ON "automation_rule_pending_executions"("due_at", "id") WHERE "finished_at" IS NULL;
CREATE INDEX "pending_executions_finished_idx" ON "automation_rule_pending_executions"("finished_at") WHERE "finished_at" IS NOT NULL;

CREATE TABLE "action_deliveries" (
  "id" TEXT NOT NULL,
  "account_id" BIGINT NOT NULL,
  "pending_execution_id" BIGINT NOT NULL,
  "position" INTEGER NOT NULL,
  "action_name" TEXT NOT NULL,
  "target" TEXT NOT NULL,
  "status" TEXT NOT NULL DEFAULT 'pending',
  "payload" JSONB NOT NULL,
  "error" TEXT,
  "attempts" JSONB NOT NULL DEFAULT '[]',
  "next_attempt_at" TIMESTAMPTZ(6),
  "delivered_at" TIMESTAMPTZ(6),
  "relayed_at" TIMESTAMPTZ(6),
  "created_at" TIMESTAMPTZ(6) NOT NULL,
  "updated_at" TIMESTAMPTZ(6) NOT NULL,
  CONSTRAINT "action_deliveries_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "action_deliveries_target_check" CHECK ("target" IN ('stream', 'webhook', 'smtp')),
  CONSTRAINT "action_deliveries_status_check" CHECK ("status" IN ('pending', 'delivered', 'failed', 'unknown', 'dismissed')),
  CONSTRAINT "action_deliveries_pending_check" CHECK (("status" = 'pending') = ("next_attempt_at" IS NOT NULL)),
  CONSTRAINT "action_deliveries_delivered_check" CHECK (("status" = 'delivered') = ("delivered_at" IS NOT NULL))
) WITH (
  fillfactor = 80, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 10000, autovacuum_vacuum_cost_delay = 1
);
CREATE INDEX "action_deliveries_pending_execution_id_position_idx" ON "action_deliveries"("pending_execution_id", "position");
CREATE INDEX "action_deliveries_due_idx" ON "action_deliveries"("next_attempt_at", "id") WHERE "status" = 'pending';
-- After a Redis crash the last minute is relayed again; rows are delivered in about the order they were written.
CREATE INDEX "action_deliveries_relayed_at_idx" ON "action_deliveries" USING brin ("relayed_at");

-- The projection -----------------------------------------------------------------------------------------------------

CREATE TABLE "conversations" (
  "account_id" BIGINT NOT NULL,
  "id" BIGINT NOT NULL,
  "inbox_id" BIGINT,
  "status" TEXT,
  "status_changed_at" TIMESTAMPTZ(6),
  "waiting_since" TIMESTAMPTZ(6),
  "created_at" TIMESTAMPTZ(6),
  "priority" TEXT,
  "assignee_id" BIGINT,
  "assignee_bot_id" BIGINT,
  "team_id" BIGINT,
  "labels" JSONB NOT NULL DEFAULT '[]',
  "custom_attributes" JSONB NOT NULL DEFAULT '{}',
  "additional_attributes" JSONB NOT NULL DEFAULT '{}',
  "can_reply" BOOLEAN,
  "contact_id" BIGINT,
  "recent_incoming" JSONB NOT NULL DEFAULT '[]',
  "fact_times" JSONB NOT NULL DEFAULT '{}',
  "deleted_at" TIMESTAMPTZ(6),
  "revision" BIGINT NOT NULL DEFAULT 0,
  CONSTRAINT "conversations_pkey" PRIMARY KEY ("account_id", "id")
) WITH (
  -- Only the primary key is indexed, so with room on the page every update stays heap-only.
  fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 10000, autovacuum_vacuum_cost_delay = 1
);

CREATE TABLE "contacts" (
  "account_id" BIGINT NOT NULL,
  "id" BIGINT NOT NULL,
  "name" TEXT,
  "email" TEXT,
  "phone_number" TEXT,
  "additional_attributes" JSONB NOT NULL DEFAULT '{}',
  "custom_attributes" JSONB NOT NULL DEFAULT '{}',
  "fact_times" JSONB NOT NULL DEFAULT '{}',
  "deleted_at" TIMESTAMPTZ(6),
  "revision" BIGINT NOT NULL DEFAULT 0,
  CONSTRAINT "contacts_pkey" PRIMARY KEY ("account_id", "id")
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 10000);

CREATE TABLE "messages" (
  "account_id" BIGINT NOT NULL,
  "conversation_id" BIGINT NOT NULL,
  "id" BIGINT NOT NULL,
  "message_type" TEXT,
  "private" BOOLEAN,
  "content" TEXT,
  "content_attributes" JSONB NOT NULL DEFAULT '{}',
  "sender" JSONB,
  "created_at" TIMESTAMPTZ(6),
  "fact_times" JSONB NOT NULL DEFAULT '{}',
  "deleted_at" TIMESTAMPTZ(6),
  "stored_at" TIMESTAMPTZ(6) NOT NULL,
  CONSTRAINT "messages_pkey" PRIMARY KEY ("account_id", "conversation_id", "id")
);
CREATE INDEX "messages_stored_at_idx" ON "messages" USING brin ("stored_at");

CREATE TABLE "taken_events" (
  "account_id" BIGINT NOT NULL,
  "event_id" TEXT NOT NULL,
  "taken_at" TIMESTAMPTZ(6) NOT NULL,
  CONSTRAINT "taken_events_pkey" PRIMARY KEY ("account_id", "event_id")
) WITH (autovacuum_vacuum_insert_scale_factor = 0.05);
CREATE INDEX "taken_events_taken_at_idx" ON "taken_events" USING brin ("taken_at");
