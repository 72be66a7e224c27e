import { formatInstant, type Micros } from '@dwell/contracts/instant'
import { type FilterImplOptions, Liquid, type LiquidOptions, type Template } from 'liquidjs'
import { isTimeZone } from './calendar/local-day'

export const MAX_TEMPLATE_LENGTH = 150_000
/** HTML is what a text of the length above is turned into, so it may be longer. */
const MAX_HTML_LENGTH = 1_000_000
/** Objects and characters one rendering may make: bounds ranges, loops over them and what filters build. */
const MAX_RENDER_UNITS = 2_000_000
const MAX_RENDER_MILLISECONDS = 100
/** A mail is not given up because the machine was busy. */
const MAX_HTML_RENDER_MILLISECONDS = 2_000
/** A text that took too long is tried again: the machine may have been busy. What takes too long by itself does so again. */
const RENDER_ATTEMPTS = 3
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

/** One way of rendering: what values are turned into on their way out, and how long things may be. */
interface Mode {
  readonly engine: Liquid
  readonly maxLength: number
  readonly parsed: Map<string, readonly Template[]>
}

const TEXT = modeOf({ parseLimit: MAX_TEMPLATE_LENGTH, renderLimit: MAX_RENDER_MILLISECONDS })
const HTML = modeOf({ parseLimit: MAX_HTML_LENGTH, renderLimit: MAX_HTML_RENDER_MILLISECONDS, outputEscape: 'escape' })

/** Null when the template can be parsed, else what is wrong with it. */
export function templateFault(text: string): string | null {
  return faultOf(TEXT, text)
}

/** Renders at the moment given: unknown names are empty, every failure is an answer, never an exception. */
export function renderText(text: string, scope: TemplateScope, moment: RenderMoment): Rendered {
  return render(TEXT, text, scope, moment)
}

/** As `renderText`, for templates that are HTML: values come out escaped. */
export function renderHtml(html: string, scope: TemplateScope, moment: RenderMoment): Rendered {
  return render(HTML, html, scope, moment)
}

function faultOf(mode: Mode, text: string): string | null {
  if (text.length > mode.maxLength) return `a text may have at most ${mode.maxLength} characters`
  try {
    parse(mode, text)
    return null
  } catch (error) {
    return messageOf(error)
  }
}

function render(mode: Mode, text: string, scope: TemplateScope, moment: RenderMoment): Rendered {
  const fault = faultOf(mode, text)
  if (fault !== null) return { ok: false, error: fault }
  if (isPlain(text)) return { ok: true, text }
  for (let attempt = 1; ; attempt++) {
    const rendered = renderOnce(mode, text, scope, moment)
    if (rendered.ok || attempt === RENDER_ATTEMPTS || !rendered.error.includes(OUT_OF_TIME)) return rendered
  }
}

/** As the library says it. */
const OUT_OF_TIME = 'render limit exceeded'

function renderOnce(mode: Mode, text: string, scope: TemplateScope, moment: RenderMoment): Rendered {
  try {
    const templates = [...parse(mode, text)]
    const rendered: unknown = mode.engine.renderSync(templates, { ...scope }, { globals: { [MOMENT]: moment } })
    const clean = storable(String(rendered))
    return clean.length > mode.maxLength
      ? { ok: false, error: `the rendered text has more than ${mode.maxLength} characters` }
      : { ok: true, text: clean }
  } catch (error) {
    return { ok: false, error: messageOf(error) }
  }
}

function isPlain(text: string): boolean {
  return !text.includes('{{') && !text.includes('{%')
}

function parse({ engine, parsed }: Mode, text: string): readonly Template[] {
  if (isPlain(text)) return []
  const known = parsed.get(text)
  if (known !== undefined) return known
  const templates = engine.parse(text)
  if (parsed.size >= MAX_CACHED_TEMPLATES) parsed.clear()
  parsed.set(text, templates)
  return templates
}

function modeOf(options: Pick<LiquidOptions, 'renderLimit' | 'outputEscape'> & { readonly parseLimit: number }): Mode {
  return { engine: createEngine(options), maxLength: options.parseLimit, parsed: new Map() }
}

function createEngine(options: LiquidOptions): Liquid {
  const liquid = new Liquid({
    templates: {},
    strictFilters: true,
    strictVariables: false,
    ownPropertyOnly: true,
    locale: 'en-US',
    timezoneOffset: 0,
    memoryLimit: MAX_RENDER_UNITS,
    ...options,
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
