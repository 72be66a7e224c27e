// A site whose new members are welcomed by three e-mails with two waits: what the stories about automations are made of.
import { sinkMessages } from '../mail-sink.mjs'

/** @typedef {ReturnType<typeof import('../outside.mjs').connectOutside>} Outside */

const PATH = ['Welcome, {{ member.first_name }}', 24, 'Your second day', 48, 'What to read first']

/**
 * An account with that automation, active, and one member to come.
 *
 * @param {Outside} outside
 * @param {string} mailUrl where the mail server shows what it took
 */
export async function openNewsletter(outside, mailUrl) {
  const account = (await outside.must('POST', '/accounts', { name: 'Newsletter' })).payload
  const base = `/accounts/${account.id}/automations`
  const address = `ann-${account.id}@example.com`
  const { automations } = await outside.must('POST', base, { automations: [welcome(account.id)] })
  const { id } = automations[0]
  let events = 0

  async function tell(time, event, member) {
    await outside.setClock(time)
    events += 1
    await outside.publish([
      {
        id: `newsletter-${account.id}-${events}`,
        event,
        occurred_at: time,
        account_id: account.id,
        member: { id: '1', ...member },
      },
    ])
  }

  const mails = () => sinkMessages(mailUrl, address)

  return {
    signUp: (time) =>
      tell(time, 'member_signed_up', {
        name: 'Ann Lee',
        email: address,
        status: 'free',
        enable_updates_and_announcements: true,
      }),
    /** They are a subscriber now. */
    pay: (time) => tell(time, 'member_updated', { status: 'paid' }),
    async sweepAt(time) {
      await outside.setClock(time)
      return outside.sweep()
    },
    /** As a mail program does when its button is pressed: RFC 8058, without looking at anything. */
    async unsubscribeByLatestMail() {
      const header = (await mails()).at(-1)?.headers.find(({ name }) => name.toLowerCase() === 'list-unsubscribe')
      const link = /<(https?:[^>]+)>/.exec(header?.value ?? '')?.[1]
      if (link === undefined) throw new Error('the mail names no way out')
      const answer = await fetch(link, {
        method: 'POST',
        body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }),
      })
      if (!answer.ok) throw new Error(`the way out answered ${answer.status}`)
    },
    turnOff: () => outside.must('PUT', `${base}/${id}`, { automations: [{ status: 'inactive' }] }),
    /** Subjects in the member's mailbox, and where the run stands. */
    async outcome() {
      const subjects = (await mails()).map(({ subject }) => subject)
      const { automation_runs: runs } = await outside.must('GET', `${base}/${id}/runs/`)
      const ends = await Promise.all(
        runs.map(async (run) => {
          const { automation_run_history: history } = await outside.must('GET', `${base}/${id}/runs/${run.id}/`)
          const { end_reason, steps } = history[0]
          return end_reason ?? `waits until ${steps.at(-1).ready_at.slice(0, 16)}`
        }),
      )
      return `${subjects.join('; ') || 'no mail'} → ${ends.join(', ') || 'no run'}`
    },
  }
}

/** @param {number} day from 1 @param {string} time `10:00` */
export function onDay(day, time) {
  return `2026-09-0${day}T${time}:00.000000Z`
}

/** Ids of actions are the author's choice, and no other account may have them. */
function welcome(accountId) {
  const actions = PATH.map((content, n) => {
    const id = `0190b5a0-0000-7000-8${String(n).padStart(3, '0')}-${String(accountId).padStart(12, '0')}`
    return typeof content === 'number'
      ? { id, type: 'wait', data: { wait_hours: content } }
      : { id, type: 'send_email', data: { email_subject: content, email_body: 'Hello **{{ member.name }}**.' } }
  })
  return {
    name: 'Welcome series',
    description: 'Three e-mails with two waits',
    status: 'active',
    trigger_tier_scope: 'free',
    actions,
    edges: actions.slice(1).map(({ id }, n) => ({ source_action_id: actions[n].id, target_action_id: id })),
  }
}
