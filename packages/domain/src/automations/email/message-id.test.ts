import { messageIdOf, normalMessageId } from './message-id'

test('the Message-ID of a step is the same in every attempt', () => {
  const id = messageIdOf('01900000-0000-7000-8000-000000000001', 'example.com')
  expect(id).toBe('<01900000-0000-7000-8000-000000000001@example.com>')
  expect(messageIdOf('01900000-0000-7000-8000-000000000001', 'example.com')).toBe(id)
})

test('a Message-ID is recognised with and without its brackets', () => {
  for (const text of ['a@example.com', '<a@example.com>', ' a@example.com '])
    expect(normalMessageId(text)).toBe('<a@example.com>')
})

test('a bracket at one end only is part of the id', () => {
  expect(normalMessageId('<a@example.com')).toBe('<<a@example.com>')
  expect(normalMessageId('a@example.com>')).toBe('<a@example.com>>')
})
