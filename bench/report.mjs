// The figures as people read them: each of the product beside what its parts can do.

/** @param {Awaited<ReturnType<typeof import('./run.mjs').runBench>>} result */
export function reportRows({ raw, product }) {
  const rows = []
  const add = (what, rate, ratios = []) => {
    if (rate === undefined) return
    const compared = ratios
      .filter(([, limit]) => limit !== undefined)
      .map(([name, limit]) => `${(rate / limit).toFixed(2)} × ${name}`)
    rows.push([what, `${thousands(rate)} /s`, compared.join(', ')])
  }
  add('part: XADD, pipelined', raw.xadd)
  add('part: XREADGROUP, JSON.parse, XACK', raw.xreadgroup)
  add('part: insert by unnest, 500 rows per commit', raw.insert)
  add('part: BullMQ addBulk with id and priority', raw.queue.added)
  add('part: BullMQ worker that does nothing', raw.queue.worked)
  add('product: events that arm a row each', product.arming, [
    ['reading', raw.xreadgroup],
    ['inserting', raw.insert],
    ['enqueuing', raw.queue.added],
  ])
  add('product: events that arm nothing', product.projecting, [['reading', raw.xreadgroup]])
  add('product: due rows fired, action on the stream', product.firing, [
    ['doing nothing', raw.queue.worked],
    ['enqueuing', raw.queue.added],
  ])
  if (product.lateness) {
    const { p50, p99 } = product.lateness
    rows.push(['product: lateness at 50 rows/s, p50 / p99', `${p50} / ${p99} ms`, ''])
  }
  return rows
}

/** One file per measurement. @param {string} date @param {string[]} machine @param {string[][]} rows */
export function markdown(date, machine, rows, options) {
  return [
    `# Measurement of ${date}`,
    '',
    ...machine.map((line) => `- ${line}`),
    `- ${thousands(options.events)} events, ${thousands(options.rows)} rows`,
    '',
    '| | | beside its parts |',
    '|---|---:|---|',
    ...rows.map((row) => `| ${row.join(' | ')} |`),
    '',
  ].join('\n')
}

function thousands(value) {
  return Math.round(value).toLocaleString('en-US')
}
