// The figures as people read them.
import { shown } from './bare.mjs'
import { TARGETS } from './questions.mjs'

/**
 * One row per question: percentiles per scale, growth from the first scale to the last, and whether it is within its target.
 *
 * @param {Awaited<ReturnType<typeof import('./run.mjs').runAnalytics>>} result
 */
export function analyticsTables({ results }) {
  const [first] = results
  const last = results.at(-1)
  if (first === undefined || last === undefined) return []
  const scales = results.map(({ scale }) => `scale ${scale}: p50 / p95 / p99; cores`)
  const measured = (list, question) => list.find((one) => one.group === question.group && one.name === question.name)
  const alone = first.alone.map((question) => {
    const answers = results.map(({ alone: list }) => measured(list, question))
    const growth = results.length > 1 ? (answers.at(-1)?.p95 ?? Number.NaN) / question.p95 : null
    return [
      question.group,
      question.name,
      ...answers.map(percentiles),
      growth === null ? '' : growth.toFixed(2),
      verdict(question, growth),
    ]
  })
  const beside = first.beside.map((question) => [
    question.group,
    question.name,
    ...results.map(({ beside: list }) => percentiles(measured(list, question))),
  ])
  const bare = last.bare.map(({ name, withMs, withoutMs }) => [
    name,
    shown(withMs),
    shown(withoutMs),
    `${withoutMs.isOver ? 'over ' : ''}${(withoutMs.ms / withMs.ms).toFixed(1)} ×`,
  ])
  const steps = results.flatMap(({ scale, steps: run }) => [
    [`scale ${scale}`, 'steps per second', run.perSecond.toFixed(0)],
    [
      '',
      'statements; waits for locks over 10 ms; over 50 ms; longest',
      `${run.statements}; ${run.waits}; ${run.longWaits}; ${run.longestWait.toFixed(0)} ms`,
    ],
    ...Object.entries(run.times).map(([kind, one]) => ['', `${kind}, p50 / p95 / p99`, percentiles(one)]),
  ])
  const sizes = last.sizes
    .filter(({ bytes }) => bytes > 2 ** 20)
    .map(({ name, bytes }) => [name, `${Math.round(bytes / 2 ** 20).toLocaleString('en-US')} MB`])
  return [
    { title: 'Eight readers', head: ['', 'question', ...scales, 'growth', ''], rows: alone },
    { title: 'Eight readers beside the steps', head: ['', 'question', ...scales], rows: beside },
    { title: 'Steps beside the readers', head: ['', '', ''], rows: steps },
    {
      title: `One reader, scale ${last.scale}: with and without indexes and counts`,
      head: ['', 'with', 'without', ''],
      rows: bare,
    },
    { title: `Sizes, scale ${last.scale}`, head: ['', ''], rows: sizes },
  ]
}

/** `p50 / p95 / p99; time on a core`. */
export function percentiles(answer) {
  if (answer === undefined) return ''
  const cpu = typeof answer.cpu === 'number' ? `; ${answer.cpu.toFixed(1)}` : ''
  return `${answer.p50.toFixed(1)} / ${answer.p95.toFixed(1)} / ${answer.p99.toFixed(1)}${cpu} ms`
}

function verdict({ group, p95 }, growth) {
  const target = TARGETS[group]
  const missed = [
    ...(p95 > target.p95 ? [`p95 over ${target.p95} ms`] : []),
    ...(growth !== null && target.growth !== null && growth > target.growth ? [`growth over ${target.growth}`] : []),
  ]
  return missed.length === 0 ? 'ok' : missed.join(', ')
}

/** One file per measurement. @param {string} date @param {string[]} machine */
export function analyticsMarkdown(date, machine, tables) {
  return [
    `# How fast automations are read, ${date}`,
    '',
    ...machine.map((line) => `- ${line}`),
    ...tables.flatMap(({ title, head, rows }) => [
      '',
      `## ${title}`,
      '',
      `| ${head.join(' | ')} |`,
      `|${head.map(() => '---').join('|')}|`,
      ...rows.map((row) => `| ${row.join(' | ')} |`),
    ]),
    '',
  ].join('\n')
}
