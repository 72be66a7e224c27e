-- Members are found by any part of their name or address; a trusted extension, so the owner of a database may add it.
CREATE EXTENSION IF NOT EXISTS "pg_trgm";

-- New members wait in a list that is short enough to be read with every search and to be worked in between two batches.
CREATE INDEX "members_search_text_idx" ON "members" USING gin ("search_text" gin_trgm_ops) WITH (gin_pending_list_limit = 256);

-- Runs by automation, quarter of an hour of entry, and how they stand. What was counted is the sum over both tables: writers
-- only add changes and never wait for one another, a merge moves them into the counts. ADR 21.
CREATE TABLE "automation_run_counts" (
  "account_id" BIGINT NOT NULL,
  "automation_id" UUID NOT NULL,
  -- Start of the quarter of an hour; -infinity: all runs of the automation.
  "slot" TIMESTAMPTZ(6) NOT NULL,
  "without_steps" INTEGER NOT NULL,
  "in_progress" INTEGER NOT NULL,
  "completed" INTEGER NOT NULL,
  "exited_early" INTEGER NOT NULL,
  CONSTRAINT "automation_run_counts_pkey" PRIMARY KEY ("automation_id", "slot")
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 5000);

CREATE TABLE "automation_run_count_changes" (
  "account_id" BIGINT NOT NULL,
  "automation_id" UUID NOT NULL,
  "slot" TIMESTAMPTZ(6) NOT NULL,
  "without_steps" INTEGER NOT NULL,
  "in_progress" INTEGER NOT NULL,
  "completed" INTEGER NOT NULL,
  "exited_early" INTEGER NOT NULL
) WITH (
  -- Everything that is written here is soon deleted again.
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_insert_scale_factor = 0,
  autovacuum_vacuum_insert_threshold = 20000, autovacuum_vacuum_cost_delay = 0
);
CREATE INDEX "automation_run_count_changes_automation_id_slot_idx" ON "automation_run_count_changes"("automation_id", "slot");

-- Zones shift by whole quarters of an hour, so that days and their hours begin on one; the origin lies before every run.
CREATE FUNCTION "dwell_slot"(timestamptz) RETURNS timestamptz
  LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  AS $$ SELECT date_bin('15 minutes'::interval, $1, '1900-01-01 00:00:00+00'::timestamptz) $$;

-- A run that changed is taken away as it was and added as it is.
CREATE FUNCTION "dwell_count_run_changes"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO automation_run_count_changes
    SELECT account_id, automation_id, dwell_slot(created_at), count(*) FILTER (WHERE status IS NULL),
      count(*) FILTER (WHERE status = 'in_progress'), count(*) FILTER (WHERE status = 'completed'),
      count(*) FILTER (WHERE status = 'exited_early')
    FROM added GROUP BY 1, 2, 3;
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO automation_run_count_changes
    SELECT account_id, automation_id, dwell_slot(created_at), -count(*) FILTER (WHERE status IS NULL),
      -count(*) FILTER (WHERE status = 'in_progress'), -count(*) FILTER (WHERE status = 'completed'),
      -count(*) FILTER (WHERE status = 'exited_early')
    FROM taken_away GROUP BY 1, 2, 3;
  ELSE
    INSERT INTO automation_run_count_changes
    SELECT * FROM (
      SELECT account_id, automation_id, dwell_slot(created_at), coalesce(sum(n) FILTER (WHERE status IS NULL), 0) AS a,
        coalesce(sum(n) FILTER (WHERE status = 'in_progress'), 0) AS b,
        coalesce(sum(n) FILTER (WHERE status = 'completed'), 0) AS c,
        coalesce(sum(n) FILTER (WHERE status = 'exited_early'), 0) AS d
      FROM (
        SELECT account_id, automation_id, created_at, status, 1 AS n FROM added
        UNION ALL SELECT account_id, automation_id, created_at, status, -1 FROM taken_away
      ) both_ways GROUP BY 1, 2, 3
    ) change WHERE a <> 0 OR b <> 0 OR c <> 0 OR d <> 0;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER "automation_runs_count_added" AFTER INSERT ON "automation_runs"
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION "dwell_count_run_changes"();
CREATE TRIGGER "automation_runs_count_changed" AFTER UPDATE ON "automation_runs"
  REFERENCING OLD TABLE AS taken_away NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION "dwell_count_run_changes"();
CREATE TRIGGER "automation_runs_count_taken_away" AFTER DELETE ON "automation_runs"
  REFERENCING OLD TABLE AS taken_away FOR EACH STATEMENT EXECUTE FUNCTION "dwell_count_run_changes"();

-- What is there already.
INSERT INTO automation_run_counts
SELECT account_id, automation_id, slot, count(*) FILTER (WHERE status IS NULL),
  count(*) FILTER (WHERE status = 'in_progress'), count(*) FILTER (WHERE status = 'completed'),
  count(*) FILTER (WHERE status = 'exited_early')
FROM automation_runs
CROSS JOIN LATERAL (VALUES (dwell_slot(created_at)), ('-infinity'::timestamptz)) AS slots(slot)
GROUP BY 1, 2, 3;
