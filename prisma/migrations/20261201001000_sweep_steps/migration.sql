-- Steps of automations that a sweep enqueued.
ALTER TABLE "sweeps" ADD COLUMN "steps" INTEGER NOT NULL DEFAULT 0;
