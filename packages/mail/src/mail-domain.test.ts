import { mailDomain } from './mail-domain'

test('Message-IDs belong to the domain of the sender', () => {
  expect(mailDomain('Dwell <dwell@desk.example>')).toBe('desk.example')
  expect(mailDomain('dwell@localhost')).toBe('localhost')
  expect(mailDomain('"a@b" <c@d.example> ')).toBe('d.example')
  expect(mailDomain('nobody')).toBe('localhost')
})
