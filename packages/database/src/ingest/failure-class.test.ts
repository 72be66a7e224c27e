import { type FailureClass, failureClassOf, JudgingFailed } from './failure-class'

const withCode = (code: string) => Object.assign(new Error('whatever it says'), { code })

describe('what a failed batch calls for', () => {
  test.each<[string, FailureClass]>([
    ['40001', 'retry'],
    ['40P01', 'retry'],
    ['40003', 'pause'],
    ['08006', 'pause'],
    ['57P01', 'pause'],
    ['57P03', 'pause'],
    ['57014', 'pause'],
    ['53300', 'pause'],
    ['53100', 'pause'],
    ['25006', 'pause'],
    ['28P01', 'pause'],
    ['3D000', 'pause'],
    ['42P01', 'pause'],
    ['42501', 'pause'],
    ['58030', 'pause'],
    ['XX000', 'pause'],
    ['99999', 'pause'],
    ['22P05', 'event'],
    ['22021', 'event'],
    ['22003', 'event'],
    ['23514', 'event'],
    ['23505', 'event'],
    ['21000', 'event'],
    ['54000', 'event'],
  ])('SQLSTATE %s: %s', (code, expected) => {
    expect(failureClassOf(withCode(code))).toBe(expected)
  })

  test.each<[string, unknown, FailureClass]>([
    ['a refused connection', withCode('ECONNREFUSED'), 'pause'],
    ['a reset connection', withCode('ECONNRESET'), 'pause'],
    ['a broken pipe, whose code is as long as a SQLSTATE', withCode('EPIPE'), 'pause'],
    ['a connection that ended without a word', new Error('Connection terminated unexpectedly'), 'pause'],
    ['a result that cannot be read', new RangeError('int8 9223372036854775807 is beyond'), 'event'],
    ['a fault of judging', new JudgingFailed(new Error('not an episode key: x')), 'event'],
    ['a fault of judging, even one that looks like an outage', new JudgingFailed(withCode('ECONNRESET')), 'event'],
    ['something that is no error', 'thrown text', 'pause'],
  ])('%s: %s', (_, error, expected) => {
    expect(failureClassOf(error)).toBe(expected)
  })

  test('says what judging failed with', () => {
    expect(new JudgingFailed(new Error('not an episode key: x')).message).toContain('not an episode key: x')
  })
})
