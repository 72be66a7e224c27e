// npm run zone-check — the calendar against a second one that is made of Intl alone: every zone of the IANA database, the
// days around every shift from 2015 to 2035. Takes a few minutes. The last line says how many days were compared.
import { createRequire } from 'node:module'
import { PROGRAMS, run } from './command.mjs'

const require = createRequire(import.meta.url)
const FROM_YEAR = 2015
const TO_YEAR = 2035

const built = await run(process.execPath, [PROGRAMS.tsc, '-b', 'packages/domain'], { show: process.stdout })
if (built.code !== 0) process.exit(1)
require('esbuild-register/dist/node').register()

const calendar = (name) => require(`../packages/domain/dist/calendar/${name}.js`)
const { compareCalendars } = require('../tests/zone-check/compare.ts')
const { productCalendar } = require('../tests/zone-check/calendar.ts')
const { ZONES } = require('../tests/zone-check/zones.ts')

const product = productCalendar({
  ...calendar('time-zone'),
  ...calendar('local-day'),
  ...calendar('day-window'),
  ...calendar('entry-window'),
})
const began = performance.now()
const totals = { zones: 0, days: 0, differences: 0 }
for (const zone of ZONES) {
  const { days, differences } = compareCalendars(product, [zone], FROM_YEAR, TO_YEAR)
  totals.zones += 1
  totals.days += days
  totals.differences += differences.length
  for (const difference of differences) console.log(difference)
}
const seconds = ((performance.now() - began) / 1000).toFixed(0)
console.log(
  `${totals.zones} zones, ${totals.days} pairs of zone and day compared in ${seconds} s, ${totals.differences} differences`,
)
process.exitCode = totals.differences === 0 ? 0 : 1
