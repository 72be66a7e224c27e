-- What an account that sets limits has sent in a window of time; accounts without limits have no row here.
CREATE TABLE "rate_counters" (
  "account_id" BIGINT NOT NULL,
  "kind" TEXT NOT NULL,
  "subject" BIGINT NOT NULL,
  "window_start" TIMESTAMPTZ(6) NOT NULL,
  "taken" INTEGER NOT NULL,
  CONSTRAINT "rate_counters_pkey" PRIMARY KEY ("account_id", "kind", "subject", "window_start"),
  CONSTRAINT "rate_counters_kind_check" CHECK ("kind" IN ('conversation_messages', 'account_mails'))
);
