/** A row whose table may have had nothing to join: then every column of it is null. */
export type LeftJoined<Row> = { readonly [Column in keyof Row]: Row[Column] | null }

/** Narrows a left joined row by a column that is never null where the row is there, usually its id. */
export function isJoined<Row>(row: LeftJoined<Row>, column: keyof Row): row is LeftJoined<Row> & Row {
  return row[column] !== null
}
