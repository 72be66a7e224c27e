-- The health of rules counts deliveries that failed or that nobody knows about; they are few, and others pay nothing.
CREATE INDEX "action_deliveries_troubled_idx" ON "action_deliveries"("account_id", "pending_execution_id")
  INCLUDE ("status") WHERE "status" IN ('failed', 'unknown');
