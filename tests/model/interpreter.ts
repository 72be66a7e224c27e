/**
 * The model: a second reading of the documents, written without looking at the product and sharing no line with it.
 *
 * It keeps every event it was given and works everything out again from that list whenever it needs to know something:
 * slow, and hard to get wrong. Where the documents leave open what must come out it says so (`gap`), and the
 * comparison with the product ends there.
 */

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }
export type JsonObject = { [key: string]: Json }

/** An event as an upstream application publishes it. */
export interface RawEvent {
  id: string
  event: string
  occurred_at: string
  performed_by?: { type: string; id?: number } | null
  changed_attributes?: { [attribute: string]: [Json, Json] }
  conversation?: JsonObject & { id: number }
  contact?: JsonObject & { id: number }
  message?: JsonObject & { id: number }
}

export interface Condition {
  attribute_key: string
  filter_operator: string
  values: Json
  query_operator: string | null
  custom_attribute_type: string
}

export interface RuleBody {
  event_name: string
  execution_delay: number | null
  conditions: Condition[]
  actions: { action_name: string; action_params: Json[] }[]
  active: boolean
}

export type Step =
  | { do: 'declare' | 'undeclare'; key: string; model: string; type: string }
  | { do: 'create'; rule: string; body: RuleBody }
  | { do: 'edit'; rule: string; patch: Partial<RuleBody> }
  | { do: 'delete'; rule: string }
  | { do: 'feature'; on: boolean }
  | { do: 'publish'; events: RawEvent[] }
  // The rest concern the installation, not one account.
  | { do: 'clock'; at: number }
  | { do: 'sweep'; work: boolean }
  | { do: 'kill_switch'; value: string }
  | { do: 'when_disabled'; value: string }
  // The workers run the jobs that earlier sweeps left in the queue; or Redis loses them all.
  | { do: 'work' | 'lose_jobs' }

export interface RowView {
  rule: string
  conversation: number
  episode_key: string
  status: string
  skip_reason: string | null
  due_at: number
  message_id: number | null
}

/** One execution: what a row did, in the order of its rule. Actions that were refused are not among them. */
export interface Execution {
  rule: string
  conversation: number
  due_at: number
  actions: { action_name: string; action_params: Json[]; content: string | null }[]
}

interface Rule extends RuleBody {
  id: string
}

interface Row extends RowView {
  /** The instant its wait counts from. */
  start: number
  /** The delay its due time was reckoned with. */
  delay: number
  /** When the event happened that armed it last; and the youngest event that matched at all. */
  armedAt: number
  matchedAt: number
  claimedAt: number
  token: number
}

/** What is known of a thing, and since which event. */
interface Facts {
  values: JsonObject
  since: { [key: string]: number }
}

interface View {
  conversation: JsonObject
  contact: JsonObject | null
  message: JsonObject | null
  changed: { [attribute: string]: [Json, Json] } | null
}

const MINUTE = 60_000_000
const DAY = 24 * 60 * MINUTE
const CONVERSATION_EVENTS = [
  'conversation_created',
  'conversation_updated',
  'conversation_opened',
  'conversation_resolved',
]
const ARMS_AGAIN = ['conditions_changed', 'expired', 'flag_disabled', 'rule_inactive', 'rule_changed']
const OF_THE_CONTACT = ['country_code', 'city', 'company_name']
const OF_THE_CONVERSATION = ['browser_language', 'conversation_language', 'referer', 'mail_subject']
const IDS = ['inbox_id', 'assignee_id', 'team_id']

/** Microseconds since 1970 of an ISO 8601 text. */
export function micros(iso: string): number {
  const parts = /^(.{19})(?:\.(\d{1,6}))?(Z|[+-]\d\d:\d\d)$/.exec(iso)
  if (parts === null) throw new Error(`not an instant: ${iso}`)
  return Date.parse(`${parts[1]}${parts[3]}`) * 1000 + Number((parts[2] ?? '').padEnd(6, '0'))
}

export class Model {
  now: number
  readonly executions: Execution[] = []
  /** The first thing the documents do not decide. */
  gap: string | null = null
  private readonly taken: RawEvent[] = []
  private readonly rules: Rule[] = []
  private readonly rowList: Row[] = []
  private readonly declared = new Map<string, string>()
  private jobs: { row: Row; token: number }[] = []
  private featureOn = true
  private killSwitch = false
  private pauseWhenDisabled = false
  private tokens = 0

  constructor(
    now: number,
    private readonly timeZone: string,
  ) {
    this.now = now
  }

  rows(): RowView[] {
    return this.rowList.map(({ rule, conversation, episode_key, status, skip_reason, due_at, message_id }) => {
      return { rule, conversation, episode_key, status, skip_reason, due_at, message_id }
    })
  }

  /** False where the request is refused. */
  apply(step: Step): boolean {
    switch (step.do) {
      case 'declare':
        this.declared.set(`${step.model}.${step.key}`, step.type)
        return true
      case 'undeclare':
        this.declared.delete(`${step.model}.${step.key}`)
        return true
      case 'create':
        if (this.isRefused(step.body, step.body.execution_delay)) return false
        this.rules.push({ ...step.body, id: step.rule })
        return true
      case 'edit':
        return this.edit(step.rule, step.patch)
      case 'delete':
        this.drop(this.rules, (rule) => rule.id === step.rule)
        this.drop(this.rowList, (row) => row.rule === step.rule && isArmed(row))
        return true
      case 'feature':
        this.switchFeature(step.on)
        return true
      case 'publish':
        this.takeBatch(step.events)
        return true
      case 'clock':
        this.now = step.at
        return true
      case 'sweep':
        this.sweep()
        if (step.work) this.work()
        return true
      case 'work':
        this.work()
        return true
      case 'lose_jobs':
        this.jobs = []
        return true
      case 'kill_switch':
        this.killSwitch = step.value === 'true'
        return true
      case 'when_disabled':
        this.pauseWhenDisabled = step.value === 'pause'
        return true
    }
  }

  // ---- people change things

  private isRefused(rule: Pick<RuleBody, 'conditions' | 'execution_delay'>, delayInRequest: number | null | undefined) {
    if (typeof delayInRequest === 'number' && !this.featureOn) return true
    return rule.execution_delay !== null && rule.conditions.some((c) => c.filter_operator === 'attribute_changed')
  }

  private edit(id: string, patch: Partial<RuleBody>): boolean {
    const rule = this.rules.find((candidate) => candidate.id === id)
    if (rule === undefined || this.isRefused({ ...rule, ...patch }, patch.execution_delay)) return false
    const before = { ...rule }
    Object.assign(rule, patch)
    for (const row of this.rowList.filter((candidate) => candidate.rule === id && isArmed(candidate))) {
      if (before.active && !rule.active) skip(row, 'rule_inactive')
      else if (before.event_name !== rule.event_name) skip(row, 'rule_changed')
      else if (before.execution_delay !== null && rule.execution_delay === null) skip(row, 'rule_changed')
    }
    return true
  }

  private switchFeature(on: boolean) {
    if (on === this.featureOn) return
    this.featureOn = on
    for (const row of this.rowList.filter(isArmed)) {
      if (!on && !this.pauseWhenDisabled) skip(row, 'flag_disabled')
      if (!on) continue
      if (!this.pauseWhenDisabled) this.gap ??= 'the flag returns after a pause that was called off meanwhile'
      if (row.due_at >= this.now) continue
      if (row.status === 'processing') this.gap ??= 'the flag returns while a worker holds an overdue row'
      row.due_at = this.now
    }
  }

  private drop<T>(list: T[], gone: (item: T) => boolean) {
    list.splice(0, list.length, ...list.filter((item) => !gone(item)))
  }

  // ---- events

  private takeBatch(events: RawEvent[]) {
    const fresh: RawEvent[] = []
    for (const event of events) {
      if ([...this.taken, ...fresh].some((known) => known.id === event.id)) continue
      fresh.push(event)
    }
    fresh.sort((a, b) => micros(a.occurred_at) - micros(b.occurred_at))
    const immediate = fresh.flatMap((event) => this.take(event))
    for (const row of immediate) this.judgeImmediate(row)
  }

  /** Learns what the event says and arms what it matches. Answers the rows of immediate rules. */
  private take(event: RawEvent): Row[] {
    this.taken.push(event)
    if (event.conversation === undefined) return []
    if (event.message?.message_type === 'incoming' && event.event === 'message_created')
      this.moveRows(event.conversation.id)
    const view = this.viewOf(event)
    if (armsNothing(event, view)) return []
    const immediate: Row[] = []
    for (const rule of this.rules) {
      if (!rule.active || !listens(rule, event) || !this.holds(rule, view)) continue
      if (rule.execution_delay === null) {
        if (this.isDeleted(event.conversation.id))
          this.gap ??= 'a late event of a deleted conversation matches an immediate rule'
        immediate.push(this.addImmediate(rule, event))
      }
      if (rule.execution_delay !== null && this.featureOn) this.arm(rule, rule.execution_delay, event, view)
    }
    return immediate
  }

  /** "snapshot merged over the projection": the event's own word first, also where it is late. */
  private viewOf(event: RawEvent): View {
    const id = event.conversation?.id ?? 0
    const contactId = event.contact?.id ?? this.contactIdOf(id)
    const known = contactId === null ? null : this.contact(contactId)
    if (event.contact !== undefined && known === null && Object.keys(event.contact).length < 6)
      this.gap ??= 'a late and partial snapshot of a contact that was deleted'
    return {
      conversation: { ...this.conversation(id).values, ...event.conversation },
      contact: event.contact === undefined ? known : { ...known, ...event.contact },
      message: event.message ?? null,
      changed: event.changed_attributes ?? {},
    }
  }

  private addImmediate(rule: Rule, event: RawEvent): Row {
    const at = micros(event.occurred_at)
    return this.add(rule, 0, `event:${event.id}`, at, event)
  }

  private add(rule: Rule, delay: number, episode_key: string, start: number, event: RawEvent): Row {
    const at = micros(event.occurred_at)
    const row: Row = {
      rule: rule.id,
      conversation: event.conversation?.id ?? 0,
      episode_key,
      status: 'pending',
      skip_reason: null,
      due_at: start + delay * MINUTE,
      message_id: event.message?.id ?? null,
      start,
      delay,
      armedAt: at,
      matchedAt: at,
      claimedAt: 0,
      token: 0,
    }
    this.rowList.push(row)
    return row
  }

  private arm(rule: Rule, delay: number, event: RawEvent, view: View) {
    const conversation = event.conversation?.id ?? 0
    const at = micros(event.occurred_at)
    const [key, start] = this.episodeOf(rule, event, view)
    if (this.isDeleted(conversation) || !this.isPresent(key, conversation, at)) return
    const row = this.rowList.find((r) => r.rule === rule.id && r.conversation === conversation && r.episode_key === key)
    if (row === undefined) {
      this.add(rule, delay, key, start, event)
      return
    }
    const isNewer =
      event.message === undefined ? at > row.armedAt : this.isNewerMessage(event.message.id, row.message_id)
    const isBetween = event.message === undefined && isNewer && at < row.matchedAt
    row.matchedAt = Math.max(row.matchedAt, at)
    if (row.status === 'executed') return
    if (row.status === 'skipped') {
      if (!ARMS_AGAIN.includes(row.skip_reason ?? '') || !isNewer) return
      if (isBetween) this.gap ??= 'a skipped status wait is matched by an event older than one that changed nothing'
      Object.assign(row, { status: 'pending', skip_reason: null })
      this.restart(row, start, delay, event)
      return
    }
    if (key.startsWith('reply_chase:') && isNewer) {
      Object.assign(row, { status: 'pending', token: 0 })
      this.restart(row, start, delay, event)
    } else if (key.startsWith('awaiting_agent:') && isNewer) {
      row.message_id = event.message?.id ?? null
      row.armedAt = at
    } else if (key.startsWith('status:') && at < row.armedAt) {
      if (row.delay !== delay) this.gap ??= 'a late match of a status wait whose delay was edited'
      if (start >= row.start) return
      if (row.status === 'processing') this.gap ??= 'a late match of a status wait that a worker holds'
      row.start = start
      row.due_at = start + delay * MINUTE
    }
  }

  private restart(row: Row, start: number, delay: number, event: RawEvent) {
    row.start = start
    row.delay = delay
    row.due_at = start + delay * MINUTE
    row.message_id = event.message?.id ?? null
    row.armedAt = micros(event.occurred_at)
  }

  /** The episode an event belongs to, and where its clock starts. */
  private episodeOf(rule: Rule, event: RawEvent, view: View): [string, number] {
    const at = micros(event.occurred_at)
    if (view.message === null) {
      const since = view.conversation.status_changed_at ?? null
      const isStatusWait = rule.conditions.every(
        (c) => ['status', 'inbox_id'].includes(c.attribute_key) && !c.custom_attribute_type,
      )
      return [statusKey(view.conversation), isStatusWait && since !== null ? instant(since) : at]
    }
    const created = instant(view.message.created_at)
    if (view.message.message_type === 'incoming') {
      const since = view.conversation.waiting_since ?? null
      const start = since === null ? created : instant(since)
      return [`awaiting_agent:${start}`, start]
    }
    return [this.chaseKey(event.conversation?.id ?? 0, Number(view.message.id)), created]
  }

  /** Is this the conversation's present episode? `armedAt`: when the event happened that speaks for it. */
  private isPresent(key: string, conversation: number, armedAt: number): boolean {
    const facts = this.conversation(conversation)
    if (key.startsWith('status:')) return key === statusKey(facts.values)
    if (key.startsWith('reply_chase:')) return key === `reply_chase:${this.incoming(conversation).at(-1) ?? 0}`
    const since = facts.values.waiting_since ?? null
    // Null in the arming event itself: not written yet. Null in a newer one: answered.
    if (since === null) return (facts.since.waiting_since ?? 0) <= armedAt
    return key === `awaiting_agent:${instant(since)}`
  }

  /** The customer's messages, oldest first. */
  private incoming(conversation: number): number[] {
    const ids = this.taken
      .filter((e) => e.event === 'message_created' && e.conversation?.id === conversation)
      .filter((e) => e.message?.message_type === 'incoming')
      .map((e) => e.message?.id ?? 0)
    return [...new Set(ids)].sort((a, b) => this.compareMessages(a, b))
  }

  private chaseKey(conversation: number, message: number): string {
    return `reply_chase:${
      this.incoming(conversation)
        .filter((id) => this.compareMessages(id, message) < 0)
        .at(-1) ?? 0
    }`
  }

  private compareMessages(a: number, b: number): number {
    const created = (id: number) => {
      const event = this.taken.find((e) => e.event === 'message_created' && e.message?.id === id)
      return instant(event?.message?.created_at ?? null)
    }
    return created(a) - created(b) || a - b
  }

  private isNewerMessage(message: number, than: number | null): boolean {
    return than === null || this.compareMessages(message, than) > 0
  }

  /**
   * A customer's message that came late: rows on the agent's messages after it belong to its episode, executed ones too,
   * or one silence could have two executions. What is final stays as it ended.
   */
  private moveRows(conversation: number) {
    const rows = this.rowList.filter((r) => r.conversation === conversation && r.episode_key.startsWith('reply_chase:'))
    for (const row of rows) {
      const key = this.chaseKey(conversation, row.message_id ?? 0)
      const isFinal = row.status === 'skipped' && !ARMS_AGAIN.includes(row.skip_reason ?? '')
      if (key === row.episode_key || isFinal) continue
      const isTaken = rows.some((other) => other.rule === row.rule && other.episode_key === key)
      if (!isTaken) row.episode_key = key
      else if (isArmed(row)) skip(row, 'episode_moved')
    }
  }

  // ---- facts

  /** Key by key the word of the youngest event that names it. */
  private facts(events: { at: number; snapshot: JsonObject }[]): Facts {
    const facts: Facts = { values: {}, since: {} }
    for (const { at, snapshot } of [...events].sort((a, b) => a.at - b.at)) {
      for (const [key, value] of Object.entries(snapshot)) {
        facts.values[key] = value
        facts.since[key] = at
      }
    }
    return facts
  }

  private conversation(id: number): Facts {
    const events = this.taken.filter((event) => event.conversation?.id === id)
    return this.facts(events.map((e) => ({ at: micros(e.occurred_at), snapshot: e.conversation ?? {} })))
  }

  private contact(id: number): JsonObject | null {
    const events = this.taken.filter((event) => event.contact?.id === id)
    if (events.some((event) => event.event === 'contact_deleted')) return null
    return this.facts(events.map((e) => ({ at: micros(e.occurred_at), snapshot: e.contact ?? {} }))).values
  }

  private contactIdOf(conversation: number): number | null {
    const events = this.taken.filter((e) => e.conversation?.id === conversation && e.contact !== undefined)
    events.sort((a, b) => micros(a.occurred_at) - micros(b.occurred_at))
    return events.at(-1)?.contact?.id ?? null
  }

  private message(id: number): JsonObject | null {
    const events = this.taken.filter((event) => event.message?.id === id)
    if (events.some((event) => event.event === 'message_deleted')) return null
    return this.facts(events.map((e) => ({ at: micros(e.occurred_at), snapshot: e.message ?? {} }))).values
  }

  private isDeleted(conversation: number): boolean {
    return this.taken.some((e) => e.event === 'conversation_deleted' && e.conversation?.id === conversation)
  }

  private presentView(row: Row): View {
    const contactId = this.contactIdOf(row.conversation)
    return {
      conversation: this.conversation(row.conversation).values,
      contact: contactId === null ? null : this.contact(contactId),
      message: row.message_id === null ? null : this.message(row.message_id),
      changed: null,
    }
  }

  // ---- the sweep and the workers

  private sweep() {
    if (this.killSwitch) return
    for (const row of this.rowList) {
      if (row.status === 'processing' && row.claimedAt < this.now - 15 * MINUTE)
        Object.assign(row, { status: 'pending', token: 0 })
    }
    if (!this.featureOn && this.pauseWhenDisabled) return
    const pending = () => this.rowList.filter((row) => row.status === 'pending')
    for (const row of pending()) {
      if (row.due_at < this.now - 3 * DAY) skip(row, 'expired')
    }
    if (!this.featureOn) {
      for (const row of this.rowList.filter(isArmed)) skip(row, 'flag_disabled')
    }
    for (const row of pending()) {
      if (row.due_at > this.now) continue
      this.tokens += 1
      Object.assign(row, { status: 'processing', claimedAt: this.now, token: this.tokens })
      this.jobs.push({ row, token: row.token })
    }
  }

  /**
   * A job whose claim is gone does nothing, unless its row waits and is due, or has been held too long: then it claims the row
   * anew, as any replay of a job would.
   */
  private work() {
    for (const { row, token } of this.jobs) {
      const isHeld = row.status === 'processing' && row.token === token
      const isDue = row.status === 'pending' && row.due_at <= this.now && row.due_at >= this.now - 3 * DAY
      const isStale = row.status === 'processing' && row.claimedAt < this.now - 15 * MINUTE
      if (this.rowList.includes(row) && (isHeld || isDue || isStale)) this.judge(row)
    }
    this.jobs = []
  }

  private judge(row: Row) {
    const rule = this.rules.find((candidate) => candidate.id === row.rule)
    const isPaused = !this.featureOn && this.pauseWhenDisabled
    if (this.killSwitch || isPaused) Object.assign(row, { status: 'pending', token: 0 })
    else if (rule === undefined || !rule.active) skip(row, 'rule_inactive')
    else if (!this.featureOn) skip(row, 'flag_disabled')
    else if (this.isDeleted(row.conversation)) skip(row, 'conversation_gone')
    else if (!this.isPresent(row.episode_key, row.conversation, row.armedAt)) skip(row, 'episode_moved')
    else if (row.message_id !== null && this.message(row.message_id) === null) skip(row, 'conditions_changed')
    else if (!this.holds(rule, this.presentView(row))) skip(row, 'conditions_changed')
    else this.execute(row, rule)
  }

  /** Judged on its event already. */
  private judgeImmediate(row: Row) {
    const rule = this.rules.find((candidate) => candidate.id === row.rule)
    if (rule === undefined) return
    if (this.isDeleted(row.conversation)) skip(row, 'conversation_gone')
    else this.execute(row, rule)
  }

  private execute(row: Row, rule: Rule) {
    row.status = 'executed'
    const view = this.presentView(row)
    const text = (template: Json | undefined) =>
      String(template).replace(/{{(\w+)\.(\w+)}}/g, (_, thing: 'conversation' | 'contact' | 'message', key: string) => {
        return String(view[thing]?.[key] ?? '')
      })
    const actions = rule.actions
      .filter((action) => action.action_name !== 'send_message' || view.conversation.can_reply !== false)
      .map(({ action_name, action_params }) => {
        const isText = action_name === 'send_message' || action_name === 'add_private_note'
        return { action_name, action_params, content: isText ? text(action_params[0]) : null }
      })
    this.executions.push({ rule: rule.id, conversation: row.conversation, due_at: row.due_at, actions })
  }

  // ---- conditions

  private holds(rule: Rule, view: View): boolean {
    if (rule.conditions.length === 0) return true
    const groups: Condition[][] = [[]]
    rule.conditions.forEach((condition, index) => {
      groups.at(-1)?.push(condition)
      const isLast = index === rule.conditions.length - 1
      if (!isLast && condition.query_operator?.toLowerCase() === 'or') groups.push([])
    })
    return groups.some((group) => group.every((condition) => this.isTrue(condition, view)))
  }

  private isTrue(condition: Condition, view: View): boolean {
    const { attribute_key: key, filter_operator: operator } = condition
    const model = condition.custom_attribute_type
    if (model !== '' && !this.declared.has(`${model}.${key}`)) return false
    const kind = model === '' ? kindOf(key) : (this.declared.get(`${model}.${key}`) ?? 'text')
    if (operator === 'attribute_changed') return this.hasChanged(condition, kind, view)
    const value = this.valueOf(condition, view)
    if (operator === 'is_present' || operator === 'is_not_present') {
      const isBotOwned = key === 'assignee_id' && !isAbsent(view.conversation.assignee_bot_id)
      return (operator === 'is_present') === (isBotOwned || !isAbsent(value))
    }
    const wanted = Array.isArray(condition.values) ? condition.values : []
    if (operator === 'not_equal_to') return !wanted.some((one) => this.isEqual(kind, value, one))
    if (operator === 'does_not_contain')
      return !wanted.some((one) => !isAbsent(value) && fold(value).includes(fold(one)))
    if (isAbsent(value)) return false
    if (operator === 'equal_to') return wanted.some((one) => this.isEqual(kind, value, one))
    if (operator === 'contains') return wanted.some((one) => fold(value).includes(fold(one)))
    if (operator === 'starts_with') return wanted.some((one) => fold(value).startsWith(fold(one)))
    return this.compares(operator, kind, value, wanted[0])
  }

  private compares(operator: string, kind: string, value: Json | undefined, wanted: Json | undefined): boolean {
    if (operator === 'days_before') {
      const today = this.day(new Date(this.now / 1000).toISOString()) ?? ''
      const limit = new Date(Date.parse(`${today}T00:00:00Z`) - (Number(wanted) * DAY) / 1000)
        .toISOString()
        .slice(0, 10)
      const day = this.day(value)
      return day !== null && day < limit
    }
    const left = kind === 'date' ? this.day(value) : Number(value)
    const right = kind === 'date' ? this.day(wanted) : Number(wanted)
    if (left === null || right === null) return false
    return operator === 'is_greater_than' ? left > right : left < right
  }

  private hasChanged(condition: Condition, kind: string, view: View): boolean {
    const change = view.changed?.[condition.attribute_key] ?? (kind === 'labels' ? view.changed?.label_list : undefined)
    if (change === undefined) return false
    const { from, to } = condition.values as { from?: Json[]; to?: Json[] }
    const isIn = (value: Json, list: Json[]) =>
      list.some((one) => (one === null ? isAbsent(value) : this.isEqual(kind, value, one)))
    return (from === undefined || isIn(change[0], from)) && (to === undefined || isIn(change[1], to))
  }

  private valueOf({ attribute_key: key, custom_attribute_type: model }: Condition, view: View): Json | undefined {
    if (model === 'contact_attribute') return inside(view.contact?.custom_attributes, key)
    if (model === 'conversation_attribute') return inside(view.conversation.custom_attributes, key)
    if (OF_THE_CONTACT.includes(key)) return inside(view.contact?.additional_attributes, key)
    if (OF_THE_CONVERSATION.includes(key)) return inside(view.conversation.additional_attributes, key)
    if (key === 'email' || key === 'phone_number') return view.contact?.[key]
    if (key === 'private_note') return view.message?.private
    if (key === 'content' || key === 'message_type') return view.message?.[key]
    return view.conversation[key]
  }

  private isEqual(kind: string, value: Json | undefined, wanted: Json | undefined): boolean {
    if (isAbsent(value)) return false
    if (kind === 'labels') return Array.isArray(value) && value.some((label) => fold(label) === fold(wanted))
    if (kind === 'status' && wanted === 'all') return true
    if (kind === 'id' || kind === 'number') return Number(value) === Number(wanted)
    if (kind === 'checkbox') return value === wanted
    if (kind === 'date') return this.day(value) !== null && this.day(value) === this.day(wanted)
    return fold(value) === fold(wanted)
  }

  /** The calendar day of a date or an instant in the account's time zone, as text that sorts; null for anything else. */
  private day(value: Json | undefined): string | null {
    const text = String(value)
    if (/^\d{4}-\d\d-\d\d$/.test(text)) return text
    if (Number.isNaN(Date.parse(text)) || !text.includes('T')) return null
    const format = { timeZone: this.timeZone, year: 'numeric', month: '2-digit', day: '2-digit' } as const
    return new Intl.DateTimeFormat('en-CA', format).format(Date.parse(text))
  }
}

function isArmed(row: Row): boolean {
  return row.status === 'pending' || row.status === 'processing'
}

function skip(row: Row, reason: string) {
  Object.assign(row, { status: 'skipped', skip_reason: reason, token: 0 })
}

function listens(rule: Rule, event: RawEvent): boolean {
  if (event.event !== 'message_created' && !CONVERSATION_EVENTS.includes(event.event)) return false
  if (rule.event_name === event.event) return true
  return (
    event.event === 'conversation_created' &&
    rule.event_name === 'conversation_updated' &&
    rule.execution_delay !== null
  )
}

function armsNothing(event: RawEvent, view: View): boolean {
  const attributes = event.message?.content_attributes
  return (
    event.performed_by?.type === 'automation_rule' ||
    event.message?.message_type === 'activity' ||
    !isAbsent(inside(attributes, 'automation_rule_id')) ||
    inside(inside(attributes, 'email'), 'auto_reply') === true ||
    inside(view.conversation.additional_attributes, 'auto_reply') === true
  )
}

function statusKey(conversation: JsonObject): string {
  return `status:${instant(conversation.status_changed_at ?? conversation.created_at ?? null)}`
}

function instant(value: Json | undefined): number {
  if (typeof value !== 'string') throw new Error('the history lacks an instant that an episode needs')
  return micros(value)
}

function inside(object: Json | undefined, key: string): Json | undefined {
  return typeof object === 'object' && object !== null && !Array.isArray(object) ? object[key] : undefined
}

function isAbsent(value: Json | undefined): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
}

function kindOf(key: string): string {
  if (IDS.includes(key)) return 'id'
  if (key === 'private_note') return 'checkbox'
  return key === 'labels' || key === 'status' ? key : 'text'
}

/** Letter case aside, also where one letter becomes two. */
function fold(value: Json | undefined): string {
  return String(value).toLowerCase().toUpperCase()
}
