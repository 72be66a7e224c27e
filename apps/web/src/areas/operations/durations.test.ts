import { durationWords } from './durations'

test.each([
  [null, '–'],
  [undefined, '–'],
  [-3, '0 ms'],
  [0, '0 ms'],
  [46.4, '46 ms'],
  [999.4, '999 ms'],
  [1_000, '1 s'],
  [3_240, '3.2 s'],
  [59_000, '59 s'],
  [75_000, '1.3 min'],
  [300_000, '5 min'],
  [3_600_000, '60 min'],
  [7_200_000, '2 h'],
  [259_200_000, '3 days'],
])('%j ms are %s', (ms, words) => {
  expect(durationWords(ms)).toBe(words)
})
