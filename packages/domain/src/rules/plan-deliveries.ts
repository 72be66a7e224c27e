import type { ActionEnvelope } from '@dwell/contracts/action'
import { formatInstant, type Micros } from '@dwell/contracts/instant'
import type { Action } from '@dwell/contracts/rule'
import { type RenderMoment, renderText, type TemplateScope } from '../liquid'
import { type ActionKind, actionFaults, actionKind } from './actions'
import { ownValue } from './attributes'
import type { CompiledRule } from './compiled-rule'
import type { PendingExecution } from './pending-execution'
import { type PlannedMail, teamMails, transcriptMails } from './plan-mails'
import type { JsonObject, PlannedDelivery, WebhookPayload } from './planned-delivery'
import type { ProjectedContact, ProjectedConversation, ProjectedMessage } from './projection'
import { templateScope } from './template-scope'
import { webhookBody } from './webhook-body'

export interface PlanInput {
  readonly rule: CompiledRule
  readonly executionId: number
  readonly row: PendingExecution
  readonly conversation: ProjectedConversation
  readonly contact: ProjectedContact | null
  /** The triggering message; null for rules on conversation events. */
  readonly message: ProjectedMessage | null
  readonly account: { readonly id: number; readonly name: string; readonly settings: unknown }
  readonly now: Micros
}

export const REPLY_WINDOW_CLOSED =
  'the reply window of the conversation is closed (can_reply is false): the channel takes no free text now'

export const WEBHOOK_DISABLED =
  'the receiver has answered 410 Gone: take its address out of disabled_webhooks in the settings of the account to use it again'

/**
 * What an executed row leaves in the outbox: texts are rendered here, from the facts of this moment, so that an attempt
 * tomorrow sends the same. Never throws: an action that cannot be carried out is planned as `failed` with its reason and
 * stops none of the others. rules.md section 4.
 */
export function planDeliveries(input: PlanInput): PlannedDelivery[] {
  const contact = input.contact === null || input.contact.deletedAt !== null ? null : input.contact
  const message = input.message === null || input.message.deletedAt !== null ? null : input.message
  const known = { ...input, contact, message }
  const plan: Plan = { ...known, scope: templateScope(known), moment: { now: input.now, timeZone: timeZoneOf(input) } }
  return input.rule.actions.flatMap((action, position) => planAction(plan, action, position))
}

interface Plan extends PlanInput {
  readonly scope: TemplateScope
  readonly moment: RenderMoment
}

function planAction(plan: Plan, action: Action, position: number): readonly PlannedDelivery[] {
  const kind = actionKind(action?.action_name)
  const [fault] = actionFaults(action, '', null)
  if (kind === undefined || fault !== undefined) {
    const broken = { id: `${plan.executionId}-${position}`, position, actionName: String(action?.action_name) }
    const error = `the action cannot be carried out: ${fault?.message ?? 'unknown action'}`
    return [{ ...broken, target: kind?.target ?? 'stream', status: 'failed', payload: {}, error }]
  }
  const prepared = { ...action, action_params: action.action_params ?? [] }
  switch (kind.target) {
    case 'stream':
      return [planEntry(plan, kind, prepared, position)]
    case 'webhook':
      return [planWebhook(plan, prepared, position)]
    case 'smtp':
      return planMails(plan, prepared, position)
  }
}

function planEntry(plan: Plan, kind: ActionKind, action: Action, position: number): PlannedDelivery {
  const rendered = kind.rendersContent ? renderText(String(action.action_params[0]), plan.scope, plan.moment) : null
  const content = rendered?.ok ? rendered.text : null
  const payload: ActionEnvelope = {
    id: `${plan.executionId}-${position}`,
    account_id: plan.account.id,
    conversation_id: plan.conversation.id,
    automation_rule_id: plan.rule.id,
    automation_rule_name: plan.rule.name,
    execution_id: plan.executionId,
    position,
    action_name: kind.name,
    action_params: [...action.action_params],
    ...(content === null ? {} : { content }),
    content_attributes: { automation_rule_id: plan.rule.id },
    performed_by: { type: 'automation_rule', id: plan.rule.id },
    due_at: formatInstant(plan.row.dueAt),
    executed_at: formatInstant(plan.now),
  }
  const error =
    kind.needsReplyWindow && plan.conversation.facts.can_reply === false
      ? REPLY_WINDOW_CLOSED
      : rendered !== null && !rendered.ok
        ? `the text cannot be rendered: ${rendered.error}`
        : content !== null && content.trim() === ''
          ? 'the text is blank after rendering'
          : null
  return delivery(plan, action, position, { target: 'stream', payload, error })
}

function planWebhook(plan: Plan, action: Action, position: number): PlannedDelivery {
  const payload: WebhookPayload = {
    url: String(action.action_params[0]),
    body: webhookBody({
      accountId: plan.account.id,
      eventName: plan.rule.eventName,
      rule: plan.rule,
      executionId: plan.executionId,
      dueAt: plan.row.dueAt,
      executedAt: plan.now,
      conversation: plan.conversation,
      contact: plan.contact,
      message: plan.message,
    }),
  }
  const disabled = ownValue(plan.account.settings, 'disabled_webhooks')
  const error = Array.isArray(disabled) && disabled.includes(payload.url) ? WEBHOOK_DISABLED : null
  return delivery(plan, action, position, { target: 'webhook', payload: { ...payload }, error })
}

function planMails(plan: Plan, action: Action, position: number): readonly PlannedDelivery[] {
  const mailsOf = action.action_name === 'send_email_to_team' ? teamMails : transcriptMails
  const mails = mailsOf({ action, ruleName: plan.rule.name, facts: plan, scope: plan.scope, moment: plan.moment })
  return mails.map((mail: PlannedMail, i) =>
    delivery(
      plan,
      action,
      position,
      { target: 'smtp', payload: { ...mail.mail }, error: mail.ok ? null : mail.error },
      `-${i + 1}`,
    ),
  )
}

function delivery(
  plan: Plan,
  action: Action,
  position: number,
  rest: Pick<PlannedDelivery, 'target' | 'error'> & { readonly payload: JsonObject },
  suffix = '',
): PlannedDelivery {
  return {
    id: `${plan.executionId}-${position}${suffix}`,
    position,
    actionName: action.action_name,
    status: rest.error === null ? 'pending' : 'failed',
    ...rest,
  }
}

function timeZoneOf({ account }: PlanInput): string {
  const zone = ownValue(account.settings, 'timezone')
  return typeof zone === 'string' ? zone : 'UTC'
}
