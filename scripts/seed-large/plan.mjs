// What the large data set consists of. Shares, not numbers: `scale` decides how many of each.

/** Members, runs and steps at scale 1. */
export const SIZES = { members: 1_000_000, runs: 1_000_000, steps: 3_000_000 }

/** 18 months. */
export const DAYS = 548

/**
 * Five sites, each in its zone: one with most of the members, and among the others whose clock differs from UTC by a half
 * or a quarter of an hour, in either direction, and with and without summer time.
 *
 * @type {{id: number, name: string, timezone: string, members: number, automations: AutomationPlan[]}[]}
 */
export const ACCOUNTS = [
  {
    id: 1001,
    name: 'Harbour Letters',
    timezone: 'America/New_York',
    members: 600_000,
    automations: [
      // 540,000 members enter, every ninth of them once more.
      free({
        runs: 600_000,
        distinct: 540_000,
        again: 9,
        path: ['Welcome', 24, 'Where to begin', 72, 'Our best'],
        exits: 0.235,
      }),
      paid({ runs: 40_000, stride: 13, offset: 8, path: ['Thank you', 168, 'Your benefits'], exits: 0.1 }),
      selected({
        runs: 10_000,
        stride: 13,
        offset: 9,
        path: ['Gold', 336, 'Gold events', 336, 'A month of gold'],
        exits: 0.12,
      }),
    ],
  },
  ...[
    [1002, 'Bengal Review', 'Asia/Kolkata'],
    [1003, 'Kathmandu Kitchen', 'Asia/Kathmandu'],
    [1004, 'Azores Weather', 'Atlantic/Azores'],
    [1005, 'Howe Island Post', 'Australia/Lord_Howe'],
  ].map(([id, name, timezone]) => ({
    id: Number(id),
    name: String(name),
    timezone: String(timezone),
    members: 100_000,
    automations: [
      free({ runs: 60_000, distinct: 54_000, again: 9, path: [24, 'Hello', 720, 'One month'], exits: 0.14 }),
      paid({ runs: 20_000, stride: 5, offset: 3, path: ['Thank you', 48, 'How it works'], exits: 0.1 }),
      selected({
        runs: 7_500,
        stride: 13,
        offset: 9,
        path: [1, 'Gold', 240, 'Gold events'],
        exits: 0.12,
        reEntry: 'once',
      }),
    ],
  })),
]

/**
 * @typedef {object} AutomationPlan
 * @property {string} name
 * @property {'free' | 'all_paid' | 'selected_paid'} scope
 * @property {'always' | 'once'} reEntry
 * @property {number} runs
 * @property {number} distinct members who enter; the runs beyond them are of members who come again
 * @property {number} stride the n-th run is of the member `n * stride + offset`
 * @property {number} offset
 * @property {number} again the n-th repeated run is of the member `n * again`
 * @property {readonly (string | number)[]} path subjects of e-mails, hours of waits
 * @property {number} exits the share that leaves at each action
 */

/** @returns {AutomationPlan} */
function free({ runs, distinct, again, path, exits }) {
  return { name: 'Welcome', scope: 'free', reEntry: 'always', runs, distinct, stride: 1, offset: 0, again, path, exits }
}

/** @returns {AutomationPlan} */
function paid({ runs, stride, offset, path, exits }) {
  const all = { distinct: runs, again: 0 }
  return { name: 'New subscribers', scope: 'all_paid', reEntry: 'always', runs, ...all, stride, offset, path, exits }
}

/** @returns {AutomationPlan} */
function selected({ runs, stride, offset, path, exits, reEntry = 'always' }) {
  const all = { distinct: runs, again: 0 }
  const scope = 'selected_paid'
  return {
    name: 'Gold members',
    scope,
    reEntry: /** @type {any} */ (reEntry),
    runs,
    ...all,
    stride,
    offset,
    path,
    exits,
  }
}

/** The automation that has 60 % of the runs. */
export const LARGEST = { accountId: 1001, name: 'Welcome' }

/**
 * What a search finds among the members of the largest automation: so many at every scale, one in so many, and what is hard to
 * find: members who entered in the first weeks only, far behind in a descending list, and some who never entered.
 */
export const NEEDLES = {
  three: { text: 'Quillfeather', members: 3 },
  thousands: { text: 'abernathy', members: 3_000 },
  most: { text: 'mail.example', members: 300_000 },
  share: { text: 'thistlewood', every: 180 },
  oldest: { text: 'first-weeks.example' },
  elsewhere: { text: 'imported.example' },
}

export const TIERS = { plus: 'tier_plus', gold: 'tier_gold' }
