import { createBullBoard } from '@bull-board/api'
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter'
import { ExpressAdapter } from '@bull-board/express'
import { recordAudit } from '@dwell/database/audit-log'
import { redact } from '@dwell/runtime/redact'
import type { RequestHandler } from 'express'
import { z } from 'zod'
import type { Dependencies } from '../dependencies'

/** A queue as the board shows it. */
export interface BoardQueue {
  readonly queue: ConstructorParameters<typeof BullMQAdapter>[0]
  readonly about: string
  /** Of its job payload; drives the form that adds a job. */
  readonly schema: z.ZodType
}

const BASE_PATH = '/admin/queues'
const POLLING_SECONDS = 10

/** Bull Board. It has neither sign-in nor audit of its own: both are put around it. */
export function createBoard(
  queues: readonly BoardQueue[],
  deps: Pick<Dependencies, 'database' | 'clock'>,
): RequestHandler {
  const server = new ExpressAdapter().setBasePath(BASE_PATH)
  createBullBoard({
    queues: queues.map(createAdapter),
    serverAdapter: server,
    options: {
      uiConfig: {
        boardTitle: 'Dwell',
        hideDocsLink: true,
        hideRedisDetails: true,
        pollingInterval: { showSetting: false, forceInterval: POLLING_SECONDS },
      },
      handlerHooks: {
        /** What cannot be noted is not done: a rejection here refuses the change. */
        async before({ method, route, request }) {
          if (method === 'get') return
          const { queueName = null, jobId = null, ...params } = request.params as Record<string, unknown>
          const subject = [queueName === null ? 'queues' : `queue ${queueName}`, jobId === null ? '' : `job ${jobId}`]
          await recordAudit(
            deps.database,
            { actor: 'admin (board)', now: await deps.clock.now() },
            {
              accountId: null,
              action: 'board.requested',
              subject: subject.join(' ').trim(),
              details: redact({
                request: `${method.toUpperCase()} ${route}`,
                params,
                body: request.body ?? null,
              }) as Record<string, unknown>,
            },
          )
        },
      },
    },
  })
  return server.getRouter() as RequestHandler
}

function createAdapter({ queue, about, schema }: BoardQueue): BullMQAdapter {
  const adapter = new BullMQAdapter(queue, {
    description: about,
    jobDataSchema: z.toJSONSchema(schema),
    externalJobUrl: ({ data }) => executionLink(data),
  })
  adapter.setFormatter('data', (data: unknown) => redact(data))
  adapter.setFormatter('returnValue', (value: unknown) => redact(value))
  return adapter
}

/** Jobs carry ids only: the row they speak of says what became of it. */
function executionLink(data: unknown): { displayText: string; href: string } {
  const { pending_execution_id: id, account_id: accountId } = (data ?? {}) as Record<string, unknown>
  if (typeof id !== 'number' || typeof accountId !== 'number') return { displayText: 'API', href: '/docs' }
  return { displayText: `Execution ${id}`, href: `/admin/executions/${accountId}/${id}` }
}
