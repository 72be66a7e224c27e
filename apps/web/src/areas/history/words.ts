import type { useTranslation } from 'react-i18next'
import { absoluteWords } from '../../time/words'
import { ATTRIBUTES, type Attribute } from '../rules/vocabulary'
import { operatorWords, word } from '../rules/words'
import type { Execution } from './queries'

export type Texts = ReturnType<typeof useTranslation<'history'>>['t']
type FormTexts = ReturnType<typeof useTranslation<'rules'>>['t']

/** What an episode key means: `status:<µs>`, `awaiting_agent:<µs>`, `reply_chase:<id>`, `event:<id>`. */
export function episodeWords(key: string, t: Texts): string {
  const [kind, ...rest] = key.split(':')
  const mark = rest.join(':')
  const when = () => absoluteWords(Number(mark) / 1_000)
  switch (kind) {
    case 'status':
      return t('episodes.status', { when: when() })
    case 'awaiting_agent':
      return t('episodes.awaiting_agent', { when: when() })
    case 'reply_chase':
      return mark === '0' ? t('episodes.reply_chase') : t('episodes.reply_chase_after', { id: mark })
    case 'event':
      return t('episodes.event', { id: mark })
    default:
      return key
  }
}

export function ruleWords(execution: Pick<Execution, 'automation_rule_id' | 'automation_rule_name'>, t: Texts): string {
  return execution.automation_rule_name ?? t('ruleGone', { id: execution.automation_rule_id })
}

/** What the form of rules calls it, in one of its groups; what it does not know as the API names it. */
export function ruleFormWords(group: 'attributes' | 'operators' | 'actions.names', name: string, t: FormTexts): string {
  const known = t(`${group}.${name}` as 'attributes.status', { defaultValue: '' })
  return known === '' ? plainWords(name) : known
}

/** `equal_to` as people read it. */
export function plainWords(name: string): string {
  return name.replaceAll('_', ' ')
}

/** A value of any kind, short. */
export function valueWords(value: unknown, nothing: string): string {
  if (value === null || value === undefined || value === '') return nothing
  if (Array.isArray(value))
    return value.length === 0 ? nothing : value.map((one) => valueWords(one, nothing)).join(', ')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

interface Asked {
  readonly attribute_key: string
  readonly filter_operator: string
  readonly custom_attribute_type?: string | undefined
}

function attributeOf({ attribute_key: key, custom_attribute_type: custom = '' }: Asked): Attribute | undefined {
  return custom === '' ? ATTRIBUTES.find((one) => one.key === key) : undefined
}

/** How a condition compares, as the form of rules says it: labels "has none of", a status "is not". */
export function comparisonWords(condition: Asked, t: FormTexts): string {
  return operatorWords(attributeOf(condition), condition.filter_operator, t)
}

/** What a condition compares with, or saw: "from the customer", not "incoming". */
export function comparedWords(condition: Asked, value: unknown, nothing: string, t: FormTexts): string {
  const kind = attributeOf(condition)?.kind
  const one = (item: unknown): string =>
    (kind === 'name' || kind === 'boolean' ? word(t, 'values', String(item)) : undefined) ?? valueWords(item, nothing)
  if (Array.isArray(value)) return value.length === 0 ? nothing : value.map(one).join(', ')
  if (typeof value !== 'object' || value === null) return value === null || value === undefined ? nothing : one(value)
  const { from, to } = value as { from?: unknown; to?: unknown }
  return [
    from === undefined ? '' : t('sentence.changedFrom', { values: comparedWords(condition, from, nothing, t) }),
    to === undefined ? '' : t('sentence.changedTo', { values: comparedWords(condition, to, nothing, t) }),
  ]
    .join('')
    .trim()
}
