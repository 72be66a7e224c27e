// The sample account that a newcomer finds: made through the REST API, once.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './command.mjs'

export const SAMPLE_ACCOUNT_ID = 1
const SAMPLE_RULES = join(ROOT, 'examples/upstream/sample-rules.json')
const SAMPLE_AUTOMATIONS = join(ROOT, 'examples/upstream/sample-automations.json')

/** @param {string} url the console's */
export function apiClient(url, token) {
  return async (method, path, body) => {
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
      signal: AbortSignal.timeout(30_000),
    })
    const text = await response.text()
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
  }
}

/** Makes the account, its rules and its automations, unless the account is there: what people have changed in it stays. */
export async function ensureSample(api) {
  const path = `/accounts/${SAMPLE_ACCOUNT_ID}`
  if ((await api('GET', path)).status === 200) return
  await must(api, 'POST', '/accounts', {
    id: SAMPLE_ACCOUNT_ID,
    name: 'Sample help desk',
    features: ['delayed_automations'],
  })
  for (const rule of JSON.parse(readFileSync(SAMPLE_RULES, 'utf8')))
    await must(api, 'POST', `${path}/automation_rules`, rule)
  for (const automation of JSON.parse(readFileSync(SAMPLE_AUTOMATIONS, 'utf8')))
    await must(api, 'POST', `${path}/automations`, { automations: [automation] })
}

async function must(api, method, path, body) {
  const answer = await api(method, path, body)
  if (answer.status >= 300)
    throw new Error(
      `The sample account could not be made: ${method} ${path} answered ${answer.status} ${JSON.stringify(answer.body)}`,
    )
}

/** Calls `onFired` for the first row that a rule of the sample account has executed since now, then ends. */
export async function watchForFirstExecution(api, onFired, signal) {
  const path = `/accounts/${SAMPLE_ACCOUNT_ID}/executions?status=executed`
  const known = new Set(((await api('GET', path)).body?.payload ?? []).map(({ id }) => id))
  while (!signal.aborted) {
    const { body } = await api('GET', path)
    const fired = body?.payload?.find(({ id }) => !known.has(id))
    if (fired) return onFired(fired)
    await new Promise((resolve) => setTimeout(resolve, 1_000))
  }
}
