import { Alert, Anchor, Badge, Group, Table, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { Page } from '../../components/page'
import { ErrorState, LoadingRows } from '../../components/states'
import { durationWords } from './durations'
import classes from './operations.module.css'
import { type Queue, queuesQuery } from './queries'
import { Sections } from './sections'

/** What stands in the queues, and the way to each on the board. */
export function QueuesPage() {
  const { t } = useTranslation('operations')
  const { data: queues, error, refetch } = useQuery(queuesQuery)
  const idle = queues?.filter(({ workers }) => workers === 0).map(({ name }) => name) ?? []
  return (
    <Page title={t('sections.queues')} back={<Sections />} intro={t('queues.intro')}>
      {idle.length > 0 && (
        <Alert color="red" variant="light" mb="md" role="alert">
          {t('queues.noWorkersText', { names: idle.join(', ') })}
        </Alert>
      )}
      {queues !== undefined ? (
        <QueueTable queues={queues} />
      ) : error === null ? (
        <LoadingRows rows={5} height={60} />
      ) : (
        <ErrorState error={error} title={t('queues.failedLoad')} retry={refetch} />
      )}
    </Page>
  )
}

function QueueTable({ queues }: { readonly queues: readonly Queue[] }) {
  const { t } = useTranslation('operations')
  return (
    <section className={classes.scroller} aria-label={t('queues.caption')}>
      <Table className={classes.wide} verticalSpacing="sm">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('queues.queue')}</Table.Th>
            <Table.Th className={classes.number}>{t('queues.waiting')}</Table.Th>
            <Table.Th className={classes.number}>{t('queues.oldest')}</Table.Th>
            <Table.Th className={classes.number}>{t('queues.active')}</Table.Th>
            <Table.Th className={classes.number}>{t('queues.delayed')}</Table.Th>
            <Table.Th className={classes.number}>{t('queues.failed')}</Table.Th>
            <Table.Th className={classes.number} title={t('queues.completedTitle')}>
              {t('queues.completed')}
            </Table.Th>
            <Table.Th className={classes.number}>{t('queues.workers')}</Table.Th>
            <Table.Th w={90}>{t('queues.board')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {queues.map((queue) => (
            <QueueRow key={queue.name} queue={queue} />
          ))}
        </Table.Tbody>
      </Table>
    </section>
  )
}

function QueueRow({ queue }: { readonly queue: Queue }) {
  const { t } = useTranslation('operations')
  const { counts, workers } = queue
  return (
    <Table.Tr>
      <Table.Td maw={360}>
        <Group gap="xs">
          <Text fw={600}>{queue.name}</Text>
          {queue.paused && (
            <Badge color="orange" variant="light" tt="none">
              {t('queues.paused')}
            </Badge>
          )}
        </Group>
        <Text size="sm" c="dimmed">
          {queue.about}
        </Text>
      </Table.Td>
      <Table.Td className={classes.number}>{counts.waiting.toLocaleString()}</Table.Td>
      <Table.Td className={classes.number}>
        {queue.oldest_waiting === null ? '–' : durationWords(queue.oldest_waiting.seconds * 1_000)}
      </Table.Td>
      <Table.Td className={classes.number}>{counts.active.toLocaleString()}</Table.Td>
      <Table.Td className={classes.number}>{counts.delayed.toLocaleString()}</Table.Td>
      <Table.Td className={classes.number}>
        {counts.failed === 0 ? (
          0
        ) : (
          <Badge color="red" variant="light">
            {counts.failed.toLocaleString()}
          </Badge>
        )}
      </Table.Td>
      <Table.Td className={classes.number}>{counts.completed.toLocaleString()}</Table.Td>
      <Table.Td className={classes.number}>
        {workers === 0 ? (
          <Badge color="red" variant="light" tt="none">
            {t('queues.noWorkers')}
          </Badge>
        ) : (
          workers
        )}
      </Table.Td>
      <Table.Td>
        {/* Not a view of ours: the browser goes there. */}
        <Anchor href={queue.board_path} size="sm" aria-label={t('queues.openOn', { name: queue.name })}>
          {t('queues.open')}
        </Anchor>
      </Table.Td>
    </Table.Tr>
  )
}
