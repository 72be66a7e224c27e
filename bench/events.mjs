// Events of the size that real ones have.

const AGENT = { type: 'user', id: 7 }

/**
 * A conversation turned to a status. `statusChangedAtMs` is when; the event itself occurs then, too.
 *
 * @param {{conversation: number, account: number, status?: string, statusChangedAtMs?: number}} options
 */
export function eventOf({ conversation, account, status = 'pending', statusChangedAtMs = Date.now() }) {
  const at = `${new Date(statusChangedAtMs).toISOString().slice(0, -1)}000Z`
  return {
    id: `bench-${account}-${conversation}-${status}`,
    event: 'conversation_updated',
    occurred_at: at,
    account_id: account,
    performed_by: AGENT,
    changed_attributes: { status: ['open', status] },
    conversation: {
      id: conversation + 1,
      inbox_id: 5,
      status,
      status_changed_at: at,
      waiting_since: null,
      created_at: at,
      priority: null,
      assignee_id: 7,
      assignee_bot_id: null,
      team_id: null,
      labels: ['vip'],
      custom_attributes: { plan: 'gold' },
      additional_attributes: { browser_language: 'en' },
      can_reply: true,
    },
    contact: {
      id: (conversation % 1_000) + 1,
      name: `Customer ${conversation % 1_000}`,
      email: `customer${conversation % 1_000}@example.com`,
      phone_number: null,
      additional_attributes: { country_code: 'DE' },
      custom_attributes: {},
    },
  }
}
