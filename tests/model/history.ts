import { CHANGE_CONDITIONS, CONDITIONS, DEFINITIONS, MESSAGE_CONDITIONS } from './condition-choices'
import { Host } from './host'
import type { Condition, RawEvent, RuleBody, Step } from './interpreter'
import { type Command, DELAYS, type Plan, RULE_EVENTS, type RulePlan } from './plan'
import { type Slot, START } from './timeline'

/** Everything that happens to one account, and to the installation around it. */
export interface History {
  timeZone: string
  /** Begins with what the account has before the first event. */
  steps: Step[]
}

const TIME_ZONES = ['UTC', 'Asia/Tokyo', 'America/Los_Angeles']
const ACTIONS: RuleBody['actions'][] = [
  [{ action_name: 'add_label', action_params: ['late'] }],
  [{ action_name: 'send_message', action_params: ['Hi {{contact.name}}, {{conversation.status}}'] }],
  [
    { action_name: 'add_label', action_params: ['a', 'b'] },
    { action_name: 'send_message', action_params: ['Any news, {{contact.name}}?'] },
    { action_name: 'assign_agent', action_params: ['nil'] },
  ],
  [{ action_name: 'add_private_note', action_params: ['about {{conversation.priority}}'] }],
  [
    { action_name: 'change_status', action_params: ['open'] },
    { action_name: 'change_priority', action_params: ['urgent'] },
  ],
  [{ action_name: 'remove_assigned_team', action_params: [] }],
]

/** Carries a plan out along a timeline. */
export function historyOf(plan: Plan, timeline: readonly Slot[]): History {
  return { timeZone: TIME_ZONES[plan.zone] ?? 'UTC', steps: new Writer(plan, timeline).write() }
}

class Writer {
  private readonly host = new Host()
  private readonly rules: { id: string; body: RuleBody; gone: boolean }[] = []
  private readonly steps: Step[] = []
  /** Events on their way, by the slot that consumes them. */
  private readonly underWay: RawEvent[][]
  private readonly undeclared = new Set<number>()
  private featureOn = true
  private hostTime: number

  constructor(
    private readonly plan: Plan,
    private readonly timeline: readonly Slot[],
  ) {
    this.underWay = timeline.map(() => [])
    this.hostTime = timeline[0]?.at ?? START
  }

  write(): Step[] {
    for (const definition of DEFINITIONS) this.steps.push({ do: 'declare', ...definition })
    for (const rule of this.plan.rules) this.create(bodyOf(rule, true))
    for (const [i, slot] of this.timeline.entries()) this.writeSlot(slot, i)
    return this.steps
  }

  private writeSlot(slot: Slot, i: number) {
    this.hostTime = Math.max(this.hostTime, slot.at)
    this.steps.push({ do: 'clock', at: slot.at })
    if (slot.killSwitch !== null) this.steps.push({ do: 'kill_switch', value: slot.killSwitch })
    if (slot.whenDisabled !== null) this.steps.push({ do: 'when_disabled', value: slot.whenDisabled })
    let batch: RawEvent[] = [...(this.underWay[i] ?? [])]
    const publish = () => {
      if (batch.length > 0) this.steps.push({ do: 'publish', events: batch })
      batch = []
    }
    for (const command of this.plan.commands.filter((one) => one.slot === i)) {
      const change = this.change(command)
      if (change !== null) {
        publish()
        this.steps.push(...change)
        continue
      }
      if (command.cut) publish()
      for (const event of this.host.act(command, this.hostTime)) {
        const late = i + command.late
        if (command.late === 0) batch.push(event)
        else this.underWay[Math.min(late, this.timeline.length - 1)]?.push(event)
        if (command.again > 0)
          this.underWay[Math.min(late + command.again - 1, this.timeline.length - 1)]?.unshift(event)
      }
      // What is "as late as this slot" already, the last one in particular, comes with this batch.
      if (command.late > 0 && i === this.timeline.length - 1) batch.push(...(this.underWay[i]?.splice(0) ?? []))
    }
    publish()
    if (['sweep', 'claim', 'lose'].includes(slot.ending))
      this.steps.push({ do: 'sweep', work: slot.ending === 'sweep' })
    if (slot.ending === 'lose') this.steps.push({ do: 'lose_jobs' })
    if (slot.ending === 'work') this.steps.push({ do: 'work' })
  }

  /** What a command changes in Dwell; null where it is something that happens at the host. */
  private change(command: Command): Step[] | null {
    switch (command.kind) {
      case 'create_rule': {
        const [rule] = this.plan.rules
        return rule === undefined || this.rules.length > 4 ? [] : this.createLater(rule, command)
      }
      case 'edit_rule':
        return this.edit(command)
      case 'toggle_rule': {
        const rule = this.ruleOf(command)
        return rule === undefined ? [] : this.patch(rule, { active: !rule.body.active })
      }
      case 'delete_rule': {
        const rule = this.ruleOf(command)
        // An account without any rule learns nothing.
        if (rule === undefined || this.rules.filter(({ gone }) => !gone).length < 2) return []
        rule.gone = true
        return [{ do: 'delete', rule: rule.id }]
      }
      case 'feature':
        this.featureOn = command.value % 2 === 0 ? !this.featureOn : this.featureOn
        return [{ do: 'feature', on: this.featureOn }]
      case 'attribute':
        return this.redeclare(command.value % DEFINITIONS.length)
      default:
        return null
    }
  }

  private redeclare(index: number): Step[] {
    const definition = DEFINITIONS[index]
    if (definition === undefined) return []
    const isGone = this.undeclared.delete(index)
    if (!isGone) this.undeclared.add(index)
    return [{ do: isGone ? 'declare' : 'undeclare', ...definition }]
  }

  private create(body: RuleBody) {
    const id = `R${this.rules.length + 1}`
    this.rules.push({ id, body, gone: false })
    this.steps.push({ do: 'create', rule: id, body })
  }

  /** Another rule than the first ones: sometimes one that is refused. */
  private createLater(like: RulePlan, command: Command): Step[] {
    const delay = DELAYS[command.other % (DELAYS.length + 1)] ?? null
    const body = bodyOf({ ...like, delay, event: RULE_EVENTS[command.value % 5] ?? like.event }, false)
    if (body.conditions.some((condition) => this.isUndeclared(condition))) return []
    const id = `R${this.rules.length + 1}`
    const isRefused = this.refuses(body, delay)
    if (!isRefused) this.rules.push({ id, body, gone: false })
    return [{ do: 'create', rule: id, body }]
  }

  private edit(command: Command): Step[] {
    const rule = this.ruleOf(command)
    if (rule === undefined) return []
    switch (command.value % 5) {
      case 0:
        return this.patch(rule, { execution_delay: DELAYS[command.by % 6] ?? null })
      case 1: {
        const { event_name } = rule.body
        const choice = command.by * 17 + command.other
        const conditions = [conditionOf(event_name, choice, command.by % 2 === 0 ? 0 : choice)]
        return conditions.some((one) => this.isUndeclared(one)) ? [] : this.patch(rule, { conditions })
      }
      case 2:
        return this.patch(rule, { actions: ACTIONS[command.by % ACTIONS.length] ?? [] })
      case 3:
        return this.patch(rule, { execution_delay: null })
      default:
        return this.changeEvent(rule, RULE_EVENTS[command.by % RULE_EVENTS.length] ?? 'conversation_updated')
    }
  }

  /** Message rules stay message rules: their conditions would be refused elsewhere. */
  private changeEvent(rule: { id: string; body: RuleBody }, event_name: string): Step[] {
    const isSame = (event_name === 'message_created') === (rule.body.event_name === 'message_created')
    return isSame ? this.patch(rule, { event_name }) : []
  }

  private patch(rule: { id: string; body: RuleBody }, patch: Partial<RuleBody>): Step[] {
    const body = { ...rule.body, ...patch }
    if (!this.refuses(body, patch.execution_delay)) rule.body = body
    return [{ do: 'edit', rule: rule.id, patch }]
  }

  /** Only to know what a rule looks like from then on; whether it is refused the two sides decide for themselves. */
  private refuses(body: RuleBody, asked: number | null | undefined): boolean {
    if (typeof asked === 'number' && !this.featureOn) return true
    return body.execution_delay !== null && body.conditions.some((one) => one.filter_operator === 'attribute_changed')
  }

  private isUndeclared({ attribute_key, custom_attribute_type }: Condition): boolean {
    const index = DEFINITIONS.findIndex(({ key, model }) => key === attribute_key && model === custom_attribute_type)
    return this.undeclared.has(index)
  }

  private ruleOf(command: Command) {
    const there = this.rules.filter(({ gone }) => !gone)
    return there[command.conversation === 0 ? command.other % there.length : 0]
  }
}

/** A rule that can be saved; with `fits`, whatever the plan says. */
function bodyOf(plan: RulePlan, fits: boolean): RuleBody {
  const conditions = plan.conditions.map(({ choice, ofMessage, joiner }, i) => {
    const condition = conditionOf(plan.event, choice, ofMessage)
    const isChange = condition.filter_operator === 'attribute_changed'
    const usable = isChange && fits && plan.delay !== null ? conditionOf(plan.event, choice % 12, ofMessage) : condition
    return { ...usable, query_operator: i === plan.conditions.length - 1 && choice % 2 === 0 ? null : joiner }
  })
  return {
    event_name: plan.event,
    execution_delay: plan.delay,
    conditions,
    actions: ACTIONS[plan.actions] ?? [],
    active: plan.active,
  }
}

function conditionOf(event: string, choice: number, ofMessage: number): Condition {
  if (event === 'message_created') {
    const message = ofMessage === 0 ? undefined : MESSAGE_CONDITIONS[(ofMessage - 1) % MESSAGE_CONDITIONS.length]
    return message ?? CONDITIONS[choice % CONDITIONS.length] ?? (MESSAGE_CONDITIONS[0] as Condition)
  }
  const all = [...CONDITIONS, ...CHANGE_CONDITIONS]
  return all[choice % all.length] as Condition
}
