-- Who is signed in with a browser. Of the cookie only a digest is kept; a session ends with the token it came from: that of an
-- account by its row, the admin token by a proof that another token cannot give.
CREATE TABLE "sessions" (
  "secret_digest" TEXT NOT NULL,
  "account_token_id" BIGINT,
  "admin_proof" TEXT,
  "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "expires_at" TIMESTAMPTZ(6) NOT NULL,
  CONSTRAINT "sessions_pkey" PRIMARY KEY ("secret_digest"),
  CONSTRAINT "sessions_account_token_id_fkey" FOREIGN KEY ("account_token_id") REFERENCES "account_tokens"("id") ON DELETE CASCADE ON UPDATE CASCADE,
  CONSTRAINT "sessions_one_token_check" CHECK (("account_token_id" IS NULL) <> ("admin_proof" IS NULL))
);
CREATE INDEX "sessions_account_token_id_idx" ON "sessions"("account_token_id");
CREATE INDEX "sessions_expires_at_idx" ON "sessions"("expires_at");
