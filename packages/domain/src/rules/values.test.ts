import type { Micros } from '@dwell/contracts/instant'
import { parseDay } from '../calendar/local-day'
import { booleanOf, dateOf, dayOf, foldedTextOf, idOf, isAbsent, numberOf } from './values'

const GARBAGE = [null, undefined, {}, [], [1], () => 1, Symbol('x'), Number.NaN, Number.POSITIVE_INFINITY]

test('ids are whole numbers or their digits', () => {
  expect([5, '5', '005', 0].map(idOf)).toEqual([5, 5, 5, 0])
  for (const raw of [...GARBAGE, 5.5, '5.0', ' 5', '5a', '', '-5', '1e3', '1234567890123456', true]) {
    expect(idOf(raw)).toBeNull()
  }
})

test('texts are folded; numbers and booleans read as they are written', () => {
  expect(['Ab', 5, true, ''].map(foldedTextOf)).toEqual(['AB', '5', 'TRUE', ''])
  for (const raw of [null, undefined, {}, [], Symbol('x')]) expect(foldedTextOf(raw)).toBeNull()
})

test('booleans are booleans or their English text', () => {
  expect([true, false, 'true', 'false'].map(booleanOf)).toEqual([true, false, true, false])
  for (const raw of [...GARBAGE, 'True', 'ja', 'yes', 1, 0, '']) expect(booleanOf(raw)).toBeNull()
})

test('numbers are finite numbers or decimal text', () => {
  expect([10, '10', '-1.50', '+.5', '1e3', 5.25, '5.'].map(numberOf)).toEqual([10, 10, -1.5, 0.5, 1000, 5.25, 5])
  expect(['.25', '1e+3', '15e-1', '1e12', '9'.repeat(100)].map(numberOf)).toEqual([0.25, 1000, 1.5, 1e12, 1e100])
  for (const raw of [
    ...GARBAGE,
    '',
    ' ',
    '1ex3',
    '1e',
    '0x10',
    '1,5',
    '10 ',
    'x1',
    '1x',
    '1e999',
    true,
    '1'.repeat(101),
  ]) {
    expect(numberOf(raw)).toBeNull()
  }
})

test('dates are days, instants, or times that keep their own day', () => {
  const day = (raw: unknown, zone = 'Europe/Berlin') => {
    const date = dateOf(raw)
    return date === null ? null : dayOf(date, zone)
  }
  expect(day('2026-09-01')).toBe(parseDay('2026-09-01'))
  expect(day('2026-09-01T22:30:00Z')).toBe(parseDay('2026-09-02'))
  expect(day('2026-09-01T22:30:00Z', 'UTC')).toBe(parseDay('2026-09-01'))
  expect(day('2026-09-01T22:30:00')).toBe(parseDay('2026-09-01'))
  expect(day('2026-09-01 22:30')).toBe(parseDay('2026-09-01'))
  expect(day('2026-09-01 22:30:15.123456')).toBe(parseDay('2026-09-01'))
  expect(day(`2026-09-01T22:30:15.${'1'.repeat(20)}`)).toBe(parseDay('2026-09-01'))
  for (const raw of ['x2026-09-01 22:30', '2026-09-01 22:30x', '2026-09-01 22:30:15.', '2026-09-01 22:30:15.x'])
    expect(day(raw)).toBeNull()
  expect(day(`2026-09-01T22:30:15.${'1'.repeat(21)}`)).toBeNull()
  expect(dayOf({ instant: 0 as Micros }, 'UTC')).toBe(0)
  for (const raw of [...GARBAGE, '', '2026-02-30', '01.09.2026', 20260901, '2026-02-30T10:00:00', 'x'.repeat(50)]) {
    expect(day(raw)).toBeNull()
  }
})

test('absent is null, missing, empty text and a list of nothing', () => {
  for (const raw of [null, undefined, '', [], [null, '', undefined]]) expect(isAbsent(raw)).toBe(true)
  for (const raw of [0, false, ' ', ['a'], [null, 'a'], {}, [[]]]) expect(isAbsent(raw)).toBe(false)
})
