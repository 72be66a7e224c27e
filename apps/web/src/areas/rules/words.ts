import type { Action, Condition } from '@dwell/contracts/rule'
import type { TFunction } from 'i18next'
import { changeOf, listOf, NOTHING, textOf } from './condition-values'
import { type TypedDelay, typedDelay } from './delay'
import { type Attribute, attributeOf, type Definition, valuesOf } from './vocabulary'

export type Texts = TFunction<'rules'>

const LONGEST_QUOTE = 60

/** A word of the catalogue by a name that only the data knows; undefined where there is none. */
export function word(t: Texts, group: string, name: string): string | undefined {
  const text = t(`${group}.${name}` as 'values.open', { defaultValue: '' })
  return text === '' ? undefined : text
}

export function delayWords(minutes: number, t: Texts): string {
  return typedDelayWords(typedDelay(minutes), t)
}

export function typedDelayWords({ amount, unit }: TypedDelay, t: Texts): string {
  return t(`delay.words.${unit}`, { count: Number(amount) })
}

export function quoted(text: string, t: Texts): string {
  const short = text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE - 1).trimEnd()}…` : text
  return t('sentence.quoted', { text: short })
}

/** How a comparison is called; labels are many, and dates are not greater or less. */
export function operatorWords(attribute: Attribute | undefined, operator: string, t: Texts): string {
  return (
    (attribute?.key === 'labels' ? word(t, 'operatorsLabels', operator) : undefined) ??
    (attribute?.kind === 'date' ? word(t, 'operatorsDates', operator) : undefined) ??
    word(t, 'operators', operator) ??
    operator.replaceAll('_', ' ')
  )
}

export function attributeWords(condition: Condition, definitions: readonly Definition[], t: Texts): string {
  const attribute = attributeOf(condition, definitions)
  const { attribute_key: key } = condition
  if (attribute?.custom !== undefined)
    return definitions.find((one) => one === attribute.custom)?.attribute_display_name ?? key
  return (attribute === undefined ? undefined : word(t, 'attributes', key)) ?? key
}

/** One condition, such as "the status is pending or open". */
export function conditionWords(condition: Condition, definitions: readonly Definition[], t: Texts): string {
  const attribute = attributeOf(condition, definitions)
  const { attribute_key: key, filter_operator: operator } = condition
  const what =
    (attribute === undefined || attribute.custom !== undefined ? undefined : word(t, 'phrases', key)) ??
    attributeWords(condition, definitions, t)
  const show = (values: readonly unknown[] | undefined) => valuesWords(values ?? [], attribute?.kind, t)
  if (operator === '' || key === '') return t('sentence.unfinished')
  const special = specialWords(key, operator, show(listOf(condition.values)), t)
  if (special !== undefined && attribute?.custom === undefined) return special
  switch (valuesOf(operator)) {
    case 'none':
      return t('sentence.keptNoValues', { what, how: operatorWords(attribute, operator, t) })
    case 'change': {
      const { from, to } = changeOf(condition.values)
      return t('sentence.changed', {
        what,
        from: from === undefined ? '' : t('sentence.changedFrom', { values: show(from) }),
        to: to === undefined ? '' : t('sentence.changedTo', { values: show(to) }),
      })
    }
    default: {
      const values = show(listOf(condition.values))
      if (operator === 'days_before') return t('sentence.days', { what, values })
      return t('sentence.kept', { what, how: operatorWords(attribute, operator, t), values })
    }
  }
}

/** What would sound odd as "the x is y". */
function specialWords(key: string, operator: string, values: string, t: Texts): string | undefined {
  switch (`${key} ${operator}`) {
    case 'message_type equal_to':
      return t('sentence.isMessage', { values })
    case 'message_type not_equal_to':
      return t('sentence.isNotMessage', { values })
    case 'private_note equal_to':
      return values === t('values.false') ? t('sentence.isNoNote') : t('sentence.isNote')
    case 'private_note not_equal_to':
      return values === t('values.false') ? t('sentence.isNote') : t('sentence.isNoNote')
    case 'labels equal_to':
      return t('sentence.hasLabel', { values })
    case 'labels not_equal_to':
      return t('sentence.hasNotLabel', { values })
    case 'labels is_present':
      return t('sentence.hasLabels')
    case 'labels is_not_present':
      return t('sentence.hasNoLabels')
    default:
      return undefined
  }
}

function valuesWords(values: readonly unknown[], kind: string | undefined, t: Texts): string {
  if (values.length === 0) return t('sentence.unfinished')
  const words = values.map((value) => {
    const text = textOf(value)
    if (text === NOTHING) return t('sentence.nothing')
    if (kind === 'name' || kind === 'boolean') return word(t, 'values', text) ?? text
    return kind === 'text' ? quoted(text, t) : text
  })
  return words.join(t('sentence.anyOf'))
}

/** One action, such as "add the label “stale”". */
export function actionPhrase({ action_name: name, action_params: params = [] }: Action, t: Texts): string {
  const first = params[0]
  const text = typeof first === 'string' && first.trim() !== '' ? quoted(first, t) : t('sentence.unfinished')
  const number = first === undefined || first === null || first === '' ? t('sentence.unfinished') : String(first)
  switch (name) {
    case '':
      return t('sentence.unfinished')
    case 'add_label':
    case 'remove_label': {
      const labels = params.map((label) => quoted(String(label), t)).join(t('sentence.between'))
      const words =
        params.length === 0 ? t('sentence.unfinished') : t('sentence.labels', { count: params.length, labels })
      return t(`sentence.actions.${name}`, { labels: words })
    }
    case 'assign_agent':
      if (first === 'nil') return t('sentence.actions.remove_assigned_agent')
      return first === 'last_responding_agent'
        ? t('sentence.actions.assign_last')
        : t('sentence.actions.assign_agent', { id: number })
    case 'assign_team':
      return first === undefined || first === 'nil' || first === 0
        ? t('sentence.actions.remove_assigned_team')
        : t('sentence.actions.assign_team', { id: number })
    case 'change_priority':
      return first === 'nil'
        ? t('sentence.actions.clear_priority')
        : t('sentence.actions.change_priority', { name: word(t, 'values', number) ?? number })
    case 'change_status':
      return t('sentence.actions.change_status', { name: word(t, 'values', number) ?? number })
    case 'send_email_to_team':
      return t('sentence.actions.send_email_to_team', { id: teamsOf(first) || t('sentence.unfinished') })
    case 'set_custom_attribute':
      return t('sentence.actions.set_custom_attribute', { key: quoted(keyOf(first), t) })
    default: {
      const known = word(t, 'sentence.actions', name)
      return known === undefined
        ? name.replaceAll('_', ' ')
        : t(`sentence.actions.${name}` as 'sentence.actions.send_message', { text, id: number })
    }
  }
}

function teamsOf(param: unknown): string {
  const { team_ids: teams } = (typeof param === 'object' && param !== null ? param : {}) as { team_ids?: unknown }
  return Array.isArray(teams) ? teams.join(', ') : ''
}

function keyOf(param: unknown): string {
  const { attribute_key: key } = (typeof param === 'object' && param !== null ? param : {}) as {
    attribute_key?: unknown
  }
  return typeof key === 'string' ? key : ''
}
