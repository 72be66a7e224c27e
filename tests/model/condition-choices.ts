import type { Condition, Json } from './interpreter'

/** The custom attributes that every account of the model declares. */
export const DEFINITIONS = [
  { key: 'tier', model: 'conversation_attribute', type: 'text' },
  { key: 'site', model: 'conversation_attribute', type: 'link' },
  { key: 'score', model: 'conversation_attribute', type: 'number' },
  { key: 'vip', model: 'conversation_attribute', type: 'checkbox' },
  { key: 'renewal', model: 'conversation_attribute', type: 'date' },
  { key: 'tier', model: 'contact_attribute', type: 'list' },
  { key: 'score', model: 'contact_attribute', type: 'number' },
  { key: 'renewal', model: 'contact_attribute', type: 'date' },
] as const

/** Facts are drawn from few values, so that conditions and facts meet. */
export const FACTS = {
  status: ['pending', 'open', 'resolved', 'snoozed'],
  priority: [null, 'urgent', 'low'],
  labels: [[], ['vip'], ['bug', 'VIP'], ['bug']],
  team_id: [null, 3, 33],
  assignee_id: [7, null, 77],
  assignee_bot_id: [null, 4],
  inbox_id: [5, 55],
  can_reply: [true, false, null],
  additional_attributes: [
    {},
    { browser_language: 'en', mail_subject: 'Straße_5', referer: 'https://shop.example/100%' },
    { browser_language: 'DE', conversation_language: 'de', mail_subject: '', referer: null },
    { conversation_language: 'EN', auto_reply: false },
  ],
  custom_attributes: [
    {},
    { tier: 'Gold', score: 10, vip: true, renewal: '2026-08-31', site: 'https://shop.example' },
    { tier: 'gold plus', score: '10', vip: false, renewal: '2026-09-01T22:30:00Z', site: '' },
    { tier: '', score: 0, renewal: '2026-09-02', vip: null },
    { tier: 'ΟΔΟΣ', score: 9.5, renewal: '2026-08-30T23:59:59.999999Z' },
  ],
  contact: [
    { name: 'Ann', email: 'Ann@VIP.example', phone_number: '+47123' },
    { name: 'Bo', email: null, phone_number: null },
    { name: '', email: 'bo@example.org', phone_number: '+46123' },
  ],
  contact_additional: [
    {},
    { city: 'Oslo', country_code: 'NO', company_name: 'Fuß & Co' },
    { city: '', country_code: 'no', company_name: 'FUSS' },
  ],
  content: ['hello', 'a REFUND please', null, '', 'ström_100%'],
} satisfies Record<string, Json[]>

const YES_NO = ['equal_to', 'not_equal_to']
const FRAGMENTS = ['contains', 'does_not_contain']
const THERE = ['is_present', 'is_not_present']

interface Attribute {
  key: string
  model?: string
  operators: string[]
  values: Json[][]
}

const ATTRIBUTES: Attribute[] = [
  { key: 'status', operators: YES_NO, values: [['pending'], ['open'], ['pending', 'snoozed'], ['all'], ['resolved']] },
  { key: 'priority', operators: YES_NO, values: [['urgent'], ['low', 'urgent'], ['high']] },
  { key: 'labels', operators: YES_NO, values: [['vip'], ['bug', 'spam'], ['spam']] },
  { key: 'assignee_id', operators: YES_NO, values: [[7], ['77'], [70, 7]] },
  { key: 'team_id', operators: YES_NO, values: [[3], ['33'], [333]] },
  { key: 'inbox_id', operators: YES_NO, values: [[5], ['55'], [555]] },
  { key: 'browser_language', operators: YES_NO, values: [['EN'], ['de']] },
  { key: 'conversation_language', operators: YES_NO, values: [['de', 'fr'], ['en']] },
  { key: 'mail_subject', operators: [...YES_NO, ...FRAGMENTS], values: [['STRASSE_5'], ['_'], ['e%5']] },
  { key: 'referer', operators: [...YES_NO, ...FRAGMENTS], values: [['100%'], ['SHOP'], ['https://shop.example/100%']] },
  { key: 'country_code', operators: YES_NO, values: [['NO'], ['se', 'dk']] },
  { key: 'city', operators: [...YES_NO, ...FRAGMENTS], values: [['oslo'], ['s'], ['o_lo']] },
  { key: 'company_name', operators: [...YES_NO, ...FRAGMENTS], values: [['fuß'], ['FUSS & CO'], ['ss']] },
  { key: 'email', operators: [...YES_NO, ...FRAGMENTS], values: [['vip.EXAMPLE'], ['ann@vip.example'], ['bo', 'xx']] },
  { key: 'phone_number', operators: [...YES_NO, ...FRAGMENTS, 'starts_with'], values: [['+47'], ['123'], ['+46123']] },
  {
    key: 'tier',
    model: 'conversation_attribute',
    operators: [...YES_NO, ...FRAGMENTS],
    values: [['GOLD'], ['οδος'], ['d p']],
  },
  {
    key: 'site',
    model: 'conversation_attribute',
    operators: [...YES_NO, ...FRAGMENTS],
    values: [['shop'], ['HTTPS://shop.example']],
  },
  { key: 'score', model: 'conversation_attribute', operators: YES_NO, values: [[10], [0, 9.5], [1]] },
  {
    key: 'score',
    model: 'conversation_attribute',
    operators: ['is_greater_than', 'is_less_than'],
    values: [[9.5], [10], [0]],
  },
  { key: 'vip', model: 'conversation_attribute', operators: YES_NO, values: [[true], [false], [true, false]] },
  {
    key: 'renewal',
    model: 'conversation_attribute',
    operators: YES_NO,
    values: [['2026-09-01'], ['2026-08-31', '2026-09-02']],
  },
  {
    key: 'renewal',
    model: 'conversation_attribute',
    operators: ['is_greater_than', 'is_less_than'],
    values: [['2026-08-31'], ['2026-09-02']],
  },
  { key: 'renewal', model: 'conversation_attribute', operators: ['days_before'], values: [[0], [1], [2]] },
  { key: 'tier', model: 'contact_attribute', operators: YES_NO, values: [['gold'], ['Gold plus', 'none']] },
  { key: 'score', model: 'contact_attribute', operators: ['equal_to', 'is_greater_than'], values: [[10], [0]] },
  { key: 'renewal', model: 'contact_attribute', operators: ['equal_to', 'is_less_than', 'days_before'], values: [[1]] },
]

const OF_MESSAGES: Attribute[] = [
  { key: 'message_type', operators: YES_NO, values: [['outgoing'], ['incoming'], ['template', 'outgoing']] },
  { key: 'private_note', operators: YES_NO, values: [[false], [true]] },
  { key: 'content', operators: [...YES_NO, ...FRAGMENTS], values: [['HELLO'], ['refund'], ['_1', 'zz'], ['STRÖM']] },
]

const CHANGES: Condition[] = [
  change('status', { to: ['pending'] }),
  change('status', { from: ['open', 'resolved'], to: ['pending', 'open'] }),
  change('priority', { from: [null] }),
  change('assignee_id', { to: ['77', null] }),
  change('team_id', {}),
  change('labels', {}),
]

/** Conditions for rules of every event: plain ones first. */
export const CONDITIONS: readonly Condition[] = ATTRIBUTES.flatMap(all)
/** Only for rules on `message_created`. */
export const MESSAGE_CONDITIONS: readonly Condition[] = OF_MESSAGES.flatMap(all)
/** Only for immediate rules on conversation events. */
export const CHANGE_CONDITIONS: readonly Condition[] = CHANGES

function all({ key, model = '', operators, values }: Attribute): Condition[] {
  const condition = (filter_operator: string, of: Json[]): Condition => {
    return { attribute_key: key, filter_operator, values: of, query_operator: null, custom_attribute_type: model }
  }
  const compared = operators.flatMap((operator) =>
    values
      .filter(([one]) => key !== 'renewal' || (typeof one === 'number') === (operator === 'days_before'))
      .map((of) => condition(operator, of)),
  )
  // Asked once per attribute: where it may be compared for equality.
  const isAsked = operators.includes('equal_to') && key !== 'private_note'
  return isAsked ? [...compared, ...THERE.map((operator) => condition(operator, []))] : compared
}

function change(attribute_key: string, values: { from?: Json[]; to?: Json[] }): Condition {
  return {
    attribute_key,
    filter_operator: 'attribute_changed',
    values: values as Json,
    query_operator: null,
    custom_attribute_type: '',
  }
}
