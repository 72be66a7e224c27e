import type { EmailData } from '@dwell/contracts/automations'
import { type RenderMoment, renderHtml, renderText, type TemplateScope, templateFault } from '../../liquid'
import { htmlToText } from './html-to-text'
import { LexicalError, lexicalToHtml } from './lexical'
import { hasLiquid, type LiquidShield, liquidShield, MARK } from './liquid-shield'
import { markdownToHtml } from './markdown'
import { sanitiseHtml } from './sanitise-html'

/** What a member is sent. */
export interface RenderedEmail {
  /** One line. */
  readonly subject: string
  /** A fragment; `layOut` makes a document of it. */
  readonly html: string
  readonly text: string
}

export type EmailRendering =
  | { readonly ok: true; readonly email: RenderedEmail }
  /** Trying again cannot help. */
  | { readonly ok: false; readonly field: EmailField; readonly error: string }

export type EmailField = 'email_subject' | 'email_body'

export interface CompiledEmail {
  /** Three spaces are blank. */
  readonly hasSubject: boolean
  /** Whether there is anything to be seen: a body of tags, comments or blank paragraphs is empty. */
  readonly hasBody: boolean
  /** Web addresses it links to, each once, in order; those that depend on the member are left out. */
  readonly links: readonly string[]
  readonly usesUnsubscribeUrl: boolean
  render(scope: TemplateScope, moment: RenderMoment): EmailRendering
}

export type EmailCompilation =
  | { readonly ok: true; readonly email: CompiledEmail }
  | { readonly ok: false; readonly faults: readonly { readonly field: EmailField; readonly error: string }[] }

export const NO_SUBJECT = '(no subject)'

/**
 * Turns an e-mail as it is written into one that can be rendered for a member: body to HTML first, Liquid afterwards, so
 * that nothing a member is called can become markup. Everything is sanitised last.
 */
export function compileEmail({
  email_subject: subject,
  email_body: body,
  email_format: format,
}: EmailData): EmailCompilation {
  const faults: { field: EmailField; error: string }[] = []
  const subjectFault = templateFault(subject)
  if (subjectFault !== null) faults.push({ field: 'email_subject', error: subjectFault })
  // On the body as it is written, where the author can find it.
  const bodyFault = templateFault(body)
  const template = bodyFault === null || format === 'lexical' ? bodyTemplate(body, format) : { error: bodyFault }
  if ('error' in template) faults.push({ field: 'email_body', error: template.error })
  if (faults.length > 0 || 'error' in template) return { ok: false, faults }
  return { ok: true, email: compiled(subject, template) }
}

interface BodyTemplate {
  readonly html: string
  /** As far as it can be seen before anything is known of a member. */
  readonly visible: string
}

function bodyTemplate(body: string, format: EmailData['email_format']): BodyTemplate | { readonly error: string } {
  if (body.trim() === '') return { html: '', visible: '' }
  const shield = liquidShield(body)
  try {
    const html = shieldedHtml(body, format, shield)
    return { html: shield.restore(html), visible: sanitiseHtml(shield.blank(html)) }
  } catch (error) {
    if (error instanceof LexicalError) return { error: error.message }
    throw error
  }
}

function shieldedHtml(body: string, format: EmailData['email_format'], shield: LiquidShield): string {
  switch (format) {
    case 'markdown':
      return markdownToHtml(shield.hide(body))
    case 'html':
      return shield.hide(body)
    case 'lexical':
      return lexicalToHtml(body, shield.hide)
  }
}

function compiled(subject: string, { html, visible }: BodyTemplate): CompiledEmail {
  const fixed = hasLiquid(html) ? null : rendering(html)
  return {
    hasSubject: subject.trim() !== '',
    hasBody: isVisible(visible),
    links: linksOf(visible),
    usesUnsubscribeUrl: /\bunsubscribe_url\b/.test(html),
    render(scope, moment) {
      const line = renderText(subject, scope, moment)
      if (!line.ok) return { ok: false, field: 'email_subject', error: line.error }
      const content = fixed ?? renderedBody(html, scope, moment)
      if ('error' in content) return { ok: false, field: 'email_body', error: content.error }
      return { ok: true, email: { subject: oneLine(line.text), ...content } }
    },
  }
}

type Body = Pick<RenderedEmail, 'html' | 'text'>

function renderedBody(template: string, scope: TemplateScope, moment: RenderMoment): Body | { readonly error: string } {
  const rendered = renderHtml(template, scope, moment)
  return rendered.ok ? rendering(rendered.text) : { error: rendered.error }
}

function rendering(html: string): Body {
  const clean = sanitiseHtml(html)
  return { html: clean, text: htmlToText(clean) }
}

/** No header may be smuggled in behind a line break. */
function oneLine(text: string): string {
  const line = text.replace(/[\s\p{Cc}]+/gu, ' ').trim()
  return line === '' ? NO_SUBJECT : line
}

function isVisible(html: string): boolean {
  return /<(?:img|hr)\b/i.test(html) || htmlToText(html) !== ''
}

function linksOf(html: string): string[] {
  const links = new Set<string>()
  sanitiseHtml(html, {
    link: (url) => {
      if (!url.includes(MARK) && !url.includes(encodeURIComponent(MARK))) links.add(url)
      return url
    },
  })
  return [...links]
}
