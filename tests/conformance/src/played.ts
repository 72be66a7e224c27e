/** What `npm test` plays: files of tests/cases, and their areas. */
export const PLAYED: Readonly<Record<string, readonly string[]>> = {
  'rules.json': [
    'episodes',
    'arming',
    'claim',
    'sweep',
    'guards',
    'loops',
    'lifecycle',
    'pause',
    'api',
    'conditions',
    'actions',
  ],
}
