-- How far behind their due time the rows of a sweep were.
ALTER TABLE "sweeps" ADD COLUMN "lateness_p50_ms" DOUBLE PRECISION, ADD COLUMN "lateness_max_ms" DOUBLE PRECISION;
