import type { Condition } from '@dwell/contracts/rule'
import { listOf } from './condition-values'
import { groupsOf, type SavedRule } from './rule-draft'
import type { Definition } from './vocabulary'
import { actionPhrase, conditionWords, delayWords, type Texts, word } from './words'

export interface Told {
  /** What the rule does, in one sentence. */
  readonly sentence: string
  /** What people stumble over with such a rule. */
  readonly notes: readonly string[]
}

/** A rule in plain words, as `docs/rules.md` means it; also of one that is not finished. */
export function tellRule(rule: SavedRule, definitions: readonly Definition[], t: Texts): Told {
  const actions = rule.actions.map((action) => actionPhrase(action, t)).join(t('sentence.andThen'))
  const asked = actions === '' ? t('sentence.actions.none') : actions
  const words = (conditions: readonly Condition[]) => chainWords(conditions, definitions, t)
  const event = t(`sentence.events.${rule.event_name}`)
  const where = rule.conditions.length === 0 ? '' : t('sentence.where', { conditions: words(rule.conditions) })

  if (rule.execution_delay === null)
    return { sentence: capital(t('sentence.now', { event, where, actions: asked })), notes: [] }

  const delay = delayWords(rule.execution_delay, t)
  const subject = subjectOf(rule)
  if (subject === null) {
    const key = rule.event_name === 'message_created' ? 'laterMessage' : where === '' ? 'laterAny' : 'later'
    return {
      sentence: capital(t(`sentence.${key}`, { delay, event, where, actions: asked })),
      notes: rule.event_name === 'message_created' ? notesOf(rule, t) : [],
    }
  }
  const others = rule.conditions.filter((condition) => condition !== subject.condition)
  const provided = others.length === 0 ? '' : t('sentence.provided', { conditions: words(others) })
  const status = listOf(subject.condition.values)
    .map((name) => word(t, 'values', String(name)) ?? String(name))
    .join(t('sentence.anyOf'))
  return {
    sentence: capital(t(`sentence.${subject.kind}`, { delay, provided, status, actions: asked })),
    notes: subject.kind === 'stays' ? [] : notesOf(rule, t),
  }
}

interface Subject {
  readonly kind: 'stays' | 'noAgent' | 'noCustomer'
  readonly condition: Condition
}

/** The condition that the wait is about, where all of them must hold and there is exactly one. */
function subjectOf({ event_name: event, conditions }: SavedRule): Subject | null {
  if (groupsOf(conditions).length > 1) return null
  const about = (key: string) => {
    const found = conditions.filter((condition) => condition.attribute_key === key)
    const [only] = found
    return found.length === 1 && only?.filter_operator === 'equal_to' && listOf(only.values).length > 0 ? only : null
  }
  if (event === 'message_created') {
    const condition = about('message_type')
    const [kind, ...others] = condition === null ? [] : listOf(condition.values)
    if (condition === null || others.length > 0) return null
    if (kind === 'incoming') return { kind: 'noAgent', condition }
    return kind === 'outgoing' ? { kind: 'noCustomer', condition } : null
  }
  if (event === 'conversation_opened' || event === 'conversation_resolved') return null
  const condition = about('status')
  return condition === null || listOf(condition.values).includes('all') ? null : { kind: 'stays', condition }
}

function notesOf({ conditions }: SavedRule, t: Texts): string[] {
  const asks = (key: string) => conditions.some((condition) => condition.attribute_key === key)
  const onlyIncoming = conditions.some(
    (condition) =>
      condition.attribute_key === 'message_type' &&
      condition.filter_operator === 'equal_to' &&
      listOf(condition.values).every((kind) => kind === 'incoming'),
  )
  if (onlyIncoming) return []
  return [
    ...(asks('status') ? [] : [t('sentence.resolvedToo')]),
    ...(asks('private_note') ? [] : [t('sentence.privateNotes')]),
  ]
}

/** The chain with its groups: "a and b, or c". */
function chainWords(conditions: readonly Condition[], definitions: readonly Definition[], t: Texts): string {
  return groupsOf(conditions)
    .map((group) =>
      group
        .map((index) => conditions[index])
        .flatMap((condition) => (condition === undefined ? [] : [conditionWords(condition, definitions, t)]))
        .join(t('sentence.between')),
    )
    .join(t('sentence.alternatives'))
}

/** A sentence begins with a capital letter, and one that is not finished needs no full stop. */
function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1).replace(/…\.$/, '…')
}
