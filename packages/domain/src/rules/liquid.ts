import { formatInstant, type Micros } from '@dwell/contracts/instant'
import { type FilterImplOptions, Liquid, type Template } from 'liquidjs'
import { isTimeZone } from '../calendar/local-day'

export const MAX_TEMPLATE_LENGTH = 150_000
export const MAX_RENDERED_LENGTH = 150_000
/** Objects and characters one rendering may make: bounds ranges, loops over them and what filters build. */
const MAX_RENDER_UNITS = 2_000_000
const MAX_RENDER_MILLISECONDS = 100
const MAX_CACHED_TEMPLATES = 1_000

/** Either the text or one sentence that says what is wrong with the template. */
export type Rendered = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly error: string }

/** What a template may name, by its first name; see `template-scope.ts`. */
export type TemplateScope = Readonly<Record<string, unknown>>

export interface RenderMoment {
  /** What `'now' | date` means. */
  readonly now: Micros
  /** IANA zone that `date` writes in. */
  readonly timeZone: string
}

/** Tags that read other templates; there are none, and nothing may reach for files. */
const FILE_TAGS = ['include', 'render', 'layout', 'block']
/** Filters whose result is not a function of the facts, and date filters that would bypass `date` below. */
const REFUSED_FILTERS = ['sample', 'date_to_xmlschema', 'date_to_rfc822', 'date_to_string', 'date_to_long_string']

/** Out of reach of templates, which name things by text. */
const MOMENT = Symbol('moment')

const engine = createEngine()
const parsed = new Map<string, readonly Template[]>()

/** Null when the template can be parsed, else what is wrong with it. */
export function templateFault(text: string): string | null {
  if (text.length > MAX_TEMPLATE_LENGTH) return `a text may have at most ${MAX_TEMPLATE_LENGTH} characters`
  try {
    parse(text)
    return null
  } catch (error) {
    return messageOf(error)
  }
}

/** Renders at the moment given: unknown names are empty, every failure is an answer, never an exception. */
export function renderText(text: string, scope: TemplateScope, moment: RenderMoment): Rendered {
  const fault = templateFault(text)
  if (fault !== null) return { ok: false, error: fault }
  if (isPlain(text)) return { ok: true, text }
  try {
    const rendered: unknown = engine.renderSync([...parse(text)], { ...scope }, { globals: { [MOMENT]: moment } })
    const clean = storable(String(rendered))
    return clean.length > MAX_RENDERED_LENGTH
      ? { ok: false, error: `the rendered text has more than ${MAX_RENDERED_LENGTH} characters` }
      : { ok: true, text: clean }
  } catch (error) {
    return { ok: false, error: messageOf(error) }
  }
}

function isPlain(text: string): boolean {
  return !text.includes('{{') && !text.includes('{%')
}

function parse(text: string): readonly Template[] {
  if (isPlain(text)) return []
  const known = parsed.get(text)
  if (known !== undefined) return known
  const templates = engine.parse(text)
  if (parsed.size >= MAX_CACHED_TEMPLATES) parsed.clear()
  parsed.set(text, templates)
  return templates
}

function createEngine(): Liquid {
  const liquid = new Liquid({
    templates: {},
    strictFilters: true,
    strictVariables: false,
    ownPropertyOnly: true,
    locale: 'en-US',
    timezoneOffset: 0,
    parseLimit: MAX_TEMPLATE_LENGTH,
    memoryLimit: MAX_RENDER_UNITS,
    renderLimit: MAX_RENDER_MILLISECONDS,
  })
  for (const tag of FILE_TAGS) delete liquid.tags[tag]
  const libraryDate = handlerOf(liquid.filters.date)
  for (const filter of REFUSED_FILTERS) delete liquid.filters[filter]
  liquid.registerFilter('date', function (value: unknown, format?: unknown, zone?: unknown) {
    const { now, timeZone } = (this.context.globals as MomentGlobals)[MOMENT]
    const at = value === 'now' || value === 'today' ? formatInstant(now) : value
    return libraryDate.call(this, at, format, zone ?? (isTimeZone(timeZone) ? timeZone : 'UTC'))
  })
  return liquid
}

type MomentGlobals = { readonly [MOMENT]: RenderMoment }
type FilterHandler = Extract<FilterImplOptions, (...values: never[]) => unknown>

function handlerOf(filter: FilterImplOptions | undefined): FilterHandler {
  if (typeof filter !== 'function') throw new Error('the library has no such filter')
  return filter
}

/** Filters can cut a surrogate pair in half or decode a NUL; PostgreSQL would refuse the whole delivery. */
function storable(text: string): string {
  return text.replaceAll('\0', '').replace(/\p{Surrogate}/gu, '\ufffd')
}

/** The library appends the source and positions on further lines. */
function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return storable(text.split('\n', 1)[0] ?? '').slice(0, 500)
}
