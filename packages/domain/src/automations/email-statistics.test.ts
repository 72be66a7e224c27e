import { emailStatistics } from './email-statistics'

const NONE = { sent: 0, delivered: 0, opened: 0, clicked: 0, openTracked: 0, clickTracked: 0 }

describe('statistics of an e-mail action', () => {
  test('are rounded percentages of the tracked sends: 2 of 3 clicked is 67', () => {
    const revision = { ...NONE, sent: 3, delivered: 3, opened: 1, clicked: 2, openTracked: 3, clickTracked: 3 }
    expect(emailStatistics([revision])).toEqual({
      sent_count: 3,
      delivered_count: 3,
      opened_count: 1,
      clicked_count: 2,
      opened_rate: 33,
      clicked_rate: 67,
    })
  })

  test('leave sends out of the rates whose opens nobody could see', () => {
    const tracked = { ...NONE, sent: 2, opened: 1, openTracked: 2 }
    const untracked = { ...NONE, sent: 8 }
    expect(emailStatistics([tracked, untracked])).toMatchObject({ sent_count: 10, opened_rate: 50, clicked_rate: null })
  })

  test('have no rates when nothing was sent', () => {
    expect(emailStatistics([])).toMatchObject({ sent_count: 0, opened_rate: null, clicked_rate: null })
  })
})
