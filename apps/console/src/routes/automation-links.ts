import { actionLinksAnswer } from '@dwell/contracts/rest/automation-reads'
import { findActionLinks } from '@dwell/database/automations/action-links'
import { uuidOf } from '@dwell/domain/automations/body'
import { accountEndpoint, type Endpoint } from '../endpoint'
import { notFound } from '../http/problem'
import { answeredAsWhole, STATISTICS_PROBLEMS } from '../http/statistics-problem'
import { automationInPath, statisticsOf } from './automation-in-path'

export const automationLinkEndpoints: readonly Endpoint[] = [
  accountEndpoint({
    method: 'GET',
    path: '/accounts/{account_id}/automations/{id}/actions/{action_id}/links',
    operation: 'listAutomationActionLinks',
    tag: 'Automations',
    summary: 'Where the mails of an action lead to, over all its revisions: by members who followed, then address.',
    answer: { status: 200, description: 'All links; those that nobody followed have 0.', schema: actionLinksAnswer },
    problems: STATISTICS_PROBLEMS,
    find: automationInPath,
    handle: async ({ deps, account, found, params }) => {
      const id = uuidOf(params.action_id)
      const links = await answeredAsWhole(async () =>
        id === null ? null : findActionLinks(statisticsOf(deps), account.id, found.id, id),
      )
      if (links === null) throw notFound()
      return { automation_action_links: links.map(({ url, clickCount }) => ({ url, click_count: clickCount })) }
    },
  }),
]
