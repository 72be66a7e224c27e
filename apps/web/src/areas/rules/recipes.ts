import type { Condition } from '@dwell/contracts/rule'
import { draftOf, EMPTY_CONDITION, emptyDraft, type RuleDraft } from './rule-draft'

/** What people look for most; rules.md. */
export const RECIPES = ['stays', 'noAgent', 'noCustomer'] as const
export type Recipe = (typeof RECIPES)[number]

export function recipeDraft(recipe: Recipe): RuleDraft {
  const rule = {
    name: '',
    description: null,
    actions: [{ action_name: '', action_params: [] }],
  }
  switch (recipe) {
    case 'stays':
      return draftOf({
        ...rule,
        event_name: 'conversation_updated',
        conditions: [is('status', 'pending')],
        execution_delay: 240,
      })
    case 'noAgent':
      return draftOf({
        ...rule,
        event_name: 'message_created',
        conditions: [is('message_type', 'incoming')],
        execution_delay: 30,
      })
    case 'noCustomer':
      return draftOf({
        ...rule,
        event_name: 'message_created',
        conditions: [{ ...is('message_type', 'outgoing'), query_operator: 'and' }, is('private_note', false)],
        execution_delay: 1_440,
      })
  }
}

/** What somebody begins with: a recipe, or nothing, as the tab says that they came from. */
export function firstDraft(recipe: Recipe | undefined, delayed: boolean): RuleDraft {
  return recipe === undefined ? emptyDraft(delayed ? 'later' : 'now') : recipeDraft(recipe)
}

function is(attribute_key: string, value: unknown): Condition {
  return { ...EMPTY_CONDITION, attribute_key, filter_operator: 'equal_to', values: [value] }
}
