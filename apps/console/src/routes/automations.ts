import { automationBody, automationSummariesAnswer, automationsAnswer } from '@dwell/contracts/rest/automation-saves'
import type { AutomationAnswer } from '@dwell/contracts/rest/automations'
import type { Account } from '@dwell/database/accounts'
import { findAutomation, listAutomations } from '@dwell/database/automations/read-automation'
import { runSummaries } from '@dwell/database/automations/run-counts'
import {
  createAutomation,
  type SaveOutcome,
  type SentAutomation,
  updateAutomation,
} from '@dwell/database/automations/saves'
import { answeredAutomation, answeredSummary, type WholeAutomation } from '@dwell/domain/automations/automation-answer'
import { readBody, uuidOf } from '@dwell/domain/automations/body'
import { etagOf } from '@dwell/domain/automations/version'
import type { Dependencies } from '../dependencies'
import { accountEndpoint, type Endpoint } from '../endpoint'
import type { BodyReader } from '../http/body'
import { invalid, notFound, Problem } from '../http/problem'
import { storageFaults } from '../http/storable'
import { statisticsOf } from './automation-in-path'

const tag = 'Automations'

/** The wrapping is judged here (400); the inside by whoever knows the account, after the version. */
const body: BodyReader<SentAutomation> = {
  described: automationBody,
  required: true,
  read(received) {
    const read = readBody(received?.value)
    if (!read.ok) throw new Problem(400, read.fault.code, read.fault.message, { errors: [read.fault] })
    return { body: read.body, faults: storageFaults(received?.value) }
  },
}

type Named = {
  readonly deps: Dependencies
  readonly account: Account
  readonly params: Readonly<Record<string, string>>
}

/** The automation that the path names; one of another account does not exist. */
const automationInPath = async ({ deps, account, params }: Named) => {
  const id = uuidOf(params.id)
  return id === null ? null : findAutomation(deps.database, account.id, id)
}

export const automationEndpoints: readonly Endpoint[] = [
  accountEndpoint({
    method: 'GET',
    path: '/accounts/{account_id}/automations',
    operation: 'listAutomations',
    tag,
    summary: 'All automations of the account, by name. Where statistics cannot be read it is answered without them.',
    answer: { status: 200, description: 'The automations.', schema: automationSummariesAnswer },
    handle: async ({ deps, account }) => {
      const automations = await listAutomations(deps.database, account.id)
      const runs = await runSummaries(statisticsOf(deps), account.id).catch((error: unknown) => {
        deps.logger.error('statistics of automations cannot be read', { event: 'console.run_summaries_failed', error })
        return null
      })
      return {
        automations: automations.map((one) =>
          answeredSummary(one, runs === null ? null : (runs.get(one.id) ?? NO_RUNS)),
        ),
      }
    },
  }),
  accountEndpoint({
    method: 'POST',
    path: '/accounts/{account_id}/automations',
    operation: 'createAutomation',
    tag,
    summary: 'Creates an automation. It holds from the next event on.',
    body,
    answer: { status: 201, description: 'The automation.', schema: automationsAnswer },
    problems: { 400: 'The body is not `{"automations": […]}` with one automation.' },
    handle: async ({ deps, account, body: sent, change, setHeader }) =>
      answerSave(await createAutomation(deps.database, account.id, sent, change), setHeader),
  }),
  accountEndpoint({
    method: 'GET',
    path: '/accounts/{account_id}/automations/{id}',
    operation: 'getAutomation',
    tag,
    summary: 'One automation: actions by their creation, e-mails with statistics, the path in the edges.',
    answer: { status: 200, description: 'The automation.', schema: automationsAnswer },
    find: automationInPath,
    handle: async ({ found, setHeader }) => answer(found, setHeader),
  }),
  accountEndpoint({
    method: 'PUT',
    path: '/accounts/{account_id}/automations/{id}',
    operation: 'updateAutomation',
    tag,
    summary:
      'Changes what is given. With neither actions nor edges a save of the status alone: it turns off, and what waits ' +
      'ends. Queued steps keep their content and time. `version` or If-Match say which version was edited.',
    body,
    answer: { status: 200, description: 'The automation as it is now.', schema: automationsAnswer },
    problems: {
      400: 'The body is not `{"automations": […]}` with one automation.',
      412: 'The automation was changed since it was read.',
    },
    find: automationInPath,
    handle: async ({ deps, account, found, body: sent, change, header, setHeader }) =>
      answerSave(
        await updateAutomation(deps.database, account.id, found.id, { ...sent, ifMatch: header('if-match') }, change),
        setHeader,
      ),
  }),
]

const NO_RUNS = { lastRunCreatedAt: null, total: 0, inProgress: 0 }

type SetHeader = (name: string, value: string) => void

function answerSave(outcome: SaveOutcome, setHeader: SetHeader) {
  if (outcome === null) throw notFound()
  if ('faults' in outcome) throw invalid(outcome.faults)
  if ('stale' in outcome) {
    const detail = `The automation was changed meanwhile; it is at version ${outcome.stale} now. Read it and edit again.`
    throw new Problem(412, 'version_conflict', detail, { headers: { etag: etagOf(outcome.stale) } })
  }
  return answer(outcome.automation, setHeader)
}

function answer(automation: WholeAutomation, setHeader: SetHeader): { automations: AutomationAnswer[] } {
  setHeader('etag', etagOf(automation.version))
  return { automations: [answeredAutomation(automation)] }
}
