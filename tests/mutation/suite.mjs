// As much of a test framework as the tests of the domain need: describe, test, test.each. The assertions are jest's own.
import { format } from 'node:util'

/** Between the parts of a test's id, the file and the titles. */
export const SEPARATOR = ' › '

/**
 * What a test file registers while `load` runs.
 *
 * @param {string} file the beginning of the tests' ids
 * @param {() => void} load
 * @returns {{id: string, run: () => unknown}[]}
 */
export function collectTests(file, load) {
  const tests = []
  const path = [file]

  const add = (title, run) => {
    const id = [...path, title].join(SEPARATOR)
    // Rows of a table may look the same.
    tests.push({ id: tests.some((other) => other.id === id) ? `${id} (${tests.length})` : id, run })
  }
  const group = (title, body) => {
    path.push(title)
    body()
    path.pop()
  }
  const each = (register) => (rows) => (title, body) => {
    for (const [i, row] of rows.entries()) {
      const values = Array.isArray(row) ? row : [row]
      const wanted = (title.match(/%[a-z]/g) ?? []).length
      const name = title.replaceAll('%#', String(i)).replaceAll('%p', '%j')
      register(format(name, ...values.slice(0, wanted)), () => body(...values))
    }
  }
  const test = Object.assign(add, { each: each(add) })
  const describe = Object.assign(group, { each: each(group) })
  Object.assign(globalThis, { describe, test, it: test })
  load()
  return tests
}
