-- The health of rules: how many rows a rule armed on a day (UTC), and what became of them. Kept by the statements that change
-- rows; counting a million rows when somebody asks takes half a second. docs/adr/0011.
CREATE TABLE "automation_rule_tallies" (
  "account_id" BIGINT NOT NULL,
  "automation_rule_id" BIGINT NOT NULL,
  "day" DATE NOT NULL,
  "outcome" TEXT NOT NULL,
  "slot" SMALLINT NOT NULL,
  "rows" BIGINT NOT NULL,
  CONSTRAINT "automation_rule_tallies_pkey" PRIMARY KEY ("account_id", "automation_rule_id", "day", "outcome", "slot")
) WITH (
  -- A tally is rewritten by every batch; with room on its page no index is.
  fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 1
);

-- What is there already.
INSERT INTO "automation_rule_tallies" ("account_id", "automation_rule_id", "day", "outcome", "slot", "rows")
SELECT account_id, automation_rule_id, (created_at AT TIME ZONE 'UTC')::date, outcome, 0, count(*)
FROM (
  SELECT account_id, automation_rule_id, created_at, 'armed' AS outcome FROM "automation_rule_pending_executions"
  UNION ALL
  SELECT account_id, automation_rule_id, created_at, coalesce(skip_reason, 'executed')
  FROM "automation_rule_pending_executions" WHERE finished_at IS NOT NULL
) counted
GROUP BY 1, 2, 3, 4;
