/**
 * A condition that is always true, for a statement that stands for itself: its commit does not wait for the disk. Only for
 * writes that a crash of Postgres may undo without harm, because whoever comes next finds the older state and does the
 * same again. Saves one wait for the disk per batch.
 */
export const RELAXED_COMMIT = `(SELECT set_config('synchronous_commit', 'off', true)) IS NOT NULL`
