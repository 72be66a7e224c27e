// What automations promise, story by story: a welcome series, mails through a real mail server.
import { onDay, openNewsletter } from './newsletter.mjs'

const FIRST = 'Welcome, Ann'
const SECOND = 'Your second day'
const THIRD = 'What to read first'

/**
 * @typedef {{expected: string, got: string}} Line
 * @typedef {ReturnType<typeof import('../outside.mjs').connectOutside>} Outside
 * @type {{title: string, play: (outside: Outside, mailUrl: string) => Promise<Line[]>}[]}
 */
export const WELCOME_STORIES = [
  {
    title: '7 a welcome series: three e-mails, two waits',
    async play(outside, mailUrl) {
      const site = await openNewsletter(outside, mailUrl)
      await site.signUp(onDay(1, '10:00'))
      await site.sweepAt(onDay(1, '10:00'))
      const first = line(`${FIRST} → waits until 2026-09-02T10:00`, await site.outcome())
      await site.sweepAt(onDay(2, '09:59'))
      const early = line(`${FIRST} → waits until 2026-09-02T10:00`, await site.outcome())
      await site.sweepAt(onDay(2, '10:00'))
      const second = line(`${FIRST}; ${SECOND} → waits until 2026-09-04T10:00`, await site.outcome())
      await site.sweepAt(onDay(4, '10:00'))
      return [first, early, second, line(`${FIRST}; ${SECOND}; ${THIRD} → completed`, await site.outcome())]
    },
  },
  {
    title: '7 unsubscribes by one click in the first e-mail',
    async play(outside, mailUrl) {
      const site = await openNewsletter(outside, mailUrl)
      await site.signUp(onDay(1, '10:00'))
      await site.sweepAt(onDay(1, '10:00'))
      await site.unsubscribeByLatestMail()
      await site.sweepAt(onDay(2, '10:00'))
      const stopped = line(`${FIRST} → member_unsubscribed`, await site.outcome())
      await site.sweepAt(onDay(4, '10:00'))
      return [stopped, line(`${FIRST} → member_unsubscribed`, await site.outcome())]
    },
  },
  {
    title: '7 becomes a subscriber on the way: no welcome for those who do not pay',
    async play(outside, mailUrl) {
      const site = await openNewsletter(outside, mailUrl)
      await site.signUp(onDay(1, '10:00'))
      await site.sweepAt(onDay(1, '10:00'))
      await site.pay(onDay(1, '20:00'))
      await site.sweepAt(onDay(2, '10:00'))
      return [line(`${FIRST} → member_status_changed`, await site.outcome())]
    },
  },
  {
    title: '7 the series is turned off: who waits is let go at once',
    async play(outside, mailUrl) {
      const site = await openNewsletter(outside, mailUrl)
      await site.signUp(onDay(1, '10:00'))
      await site.sweepAt(onDay(1, '10:00'))
      await site.turnOff()
      const off = line(`${FIRST} → automation_disabled`, await site.outcome())
      await site.sweepAt(onDay(4, '10:00'))
      return [off, line(`${FIRST} → automation_disabled`, await site.outcome())]
    },
  },
]

function line(expected, got) {
  return { expected, got }
}
