// Columns for people.

/**
 * @param {string[]} head
 * @param {string[][]} rows
 * @returns {string[]} one line per row, below a line for the head and one that separates
 */
export function table(head, rows) {
  const widths = head.map((text, column) => Math.max(text.length, ...rows.map((row) => (row[column] ?? '').length)))
  const line = (row) =>
    row
      .map((text, column) => text.padEnd(widths[column]))
      .join('  ')
      .trimEnd()
  return [line(head), widths.map((width) => '─'.repeat(width)).join('  '), ...rows.map(line)]
}
