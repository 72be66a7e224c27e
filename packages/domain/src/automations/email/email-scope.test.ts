import { unknownMember } from '../member'
import { emailScope } from './email-scope'

function scopeOf(name: string | null) {
  const member = unknownMember(1, '7')
  return emailScope({
    account: { id: 1, name: 'Acme' },
    automation: { id: 'a', name: 'Welcome' },
    member: { ...member, facts: { ...member.facts, name, email: 'ann@example.com', status: 'paid', tier_ids: ['t'] } },
    unsubscribeUrl: 'https://dwell.example/u/x',
  })
}

test('an e-mail may use what is known of account, automation and member, and the way out', () => {
  expect(scopeOf('Ann Lee')).toEqual({
    account: { id: 1, name: 'Acme' },
    automation: { id: 'a', name: 'Welcome' },
    member: {
      id: '7',
      uuid: null,
      name: 'Ann Lee',
      first_name: 'Ann',
      last_name: 'Lee',
      email: 'ann@example.com',
      status: 'paid',
      tier_ids: ['t'],
    },
    unsubscribe_url: 'https://dwell.example/u/x',
  })
})

test.each([
  ['Ann', 'Ann', null],
  [' Ann  van \n der Lee ', 'Ann', 'Lee'],
  ['', null, null],
  [' ', null, null],
  [null, null, null],
])('of the name %j the first is %j and the last is %j', (name, first_name, last_name) => {
  expect(scopeOf(name)).toMatchObject({ member: { name, first_name, last_name } })
})
