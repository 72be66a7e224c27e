import { sealToken } from '../../cursors/signed-token'
import {
  CLICK_PATH,
  mailLinks,
  openClick,
  openPixel,
  openUnsubscribe,
  PIXEL_PATH,
  UNSUBSCRIBE_PATH,
} from './mail-links'

const KEY = Buffer.from('an installation secret')
const TICKET = { accountId: 3, memberId: 'm/1', emailId: '01900000-0000-7000-8000-000000000001' }
const links = mailLinks('https://desk.example/', KEY, TICKET)
const tokenOf = (url: string, path: string) => {
  expect(url.startsWith(`https://desk.example${path}/`)).toBe(true)
  return url.slice(`https://desk.example${path}/`.length)
}

test('the addresses in a mail say whose they are', () => {
  expect(openUnsubscribe(KEY, tokenOf(links.unsubscribe, UNSUBSCRIBE_PATH))).toEqual(TICKET)
  expect(openPixel(KEY, tokenOf(links.pixel, PIXEL_PATH))).toEqual(TICKET)
  const url = 'https://example.com/?a=1&b=ü'
  expect(openClick(KEY, tokenOf(links.click(url), CLICK_PATH))).toEqual({ ...TICKET, url })
})

test('an address of one kind is none of another, and a foreign one is none at all', () => {
  const unsubscribe = tokenOf(links.unsubscribe, UNSUBSCRIBE_PATH)
  expect(openPixel(KEY, unsubscribe)).toBeNull()
  expect(openClick(KEY, unsubscribe)).toBeNull()
  expect(openUnsubscribe(KEY, tokenOf(links.pixel, PIXEL_PATH))).toBeNull()
  expect(openUnsubscribe(Buffer.from('another secret'), unsubscribe)).toBeNull()
  for (const text of ['', '.', 'x', undefined, 7]) expect(openUnsubscribe(KEY, text)).toBeNull()
})

test('addresses keep their paths: mails that are out lead there for years', () => {
  expect([UNSUBSCRIBE_PATH, PIXEL_PATH, CLICK_PATH]).toEqual(['/unsubscribe', '/mail/open', '/mail/click'])
  expect(mailLinks('https://desk.example//', KEY, TICKET).unsubscribe).toBe(links.unsubscribe)
  expect(mailLinks('https://desk.example', KEY, TICKET).unsubscribe).toBe(links.unsubscribe)
})

test('what is signed but holds no ticket is none', () => {
  const seal = (value: unknown) => sealToken(KEY, 'mail-click', JSON.stringify(value))
  const { accountId, memberId, emailId } = TICKET
  expect(openClick(KEY, seal([accountId, memberId, emailId, 'https://x.example']))).not.toBeNull()
  for (const parts of [
    ['3', memberId, emailId, 'u'],
    [accountId, 5, emailId, 'u'],
    [accountId, memberId, 5, 'u'],
    [accountId, memberId, emailId, 5],
    [accountId, memberId, emailId],
    [],
  ])
    expect(openClick(KEY, seal(parts))).toBeNull()
})
