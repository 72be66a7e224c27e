import { Button, Code, Table, Text, TextInput } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { type FormEvent, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { TextLink } from '../../components/link'
import { Page } from '../../components/page'
import { EmptyState, ErrorState, LoadingRows } from '../../components/states'
import { When } from '../../components/when'
import { LoadMore } from './load-more'
import classes from './operations.module.css'
import { type AuditFilter, type AuditLog, auditLogQuery } from './queries'
import { Sections } from './sections'

/** Of the whole installation. */
export function AuditPage() {
  const filter = useSearch({ from: '/signed-in/installation/operations/audit-log' })
  const navigate = useNavigate()
  return (
    <Audit
      accountId={null}
      filter={filter}
      onChange={(search) => void navigate({ to: '/operations/audit-log', search, replace: true })}
    />
  )
}

const OF_ACCOUNT = '/signed-in/accounts/$accountId/operations/audit-log'

/** Of one account. */
export function AccountAuditPage() {
  const { accountId } = useParams({ from: OF_ACCOUNT })
  const filter = useSearch({ from: OF_ACCOUNT })
  const navigate = useNavigate()
  return (
    <Audit
      accountId={accountId}
      filter={filter}
      onChange={(search) =>
        void navigate({ to: '/accounts/$accountId/operations/audit-log', params: { accountId }, search, replace: true })
      }
    />
  )
}

interface Props {
  readonly accountId: number | null
  readonly filter: AuditFilter
  readonly onChange: (filter: AuditFilter) => void
}

function Audit({ accountId, filter, onChange }: Props) {
  const { t } = useTranslation('operations')
  const query = useInfiniteQuery(auditLogQuery(accountId, filter))
  const logs = query.data?.pages.flatMap(({ payload }) => payload)
  const filtered = Object.values(filter).some((value) => value !== undefined)
  return (
    <Page
      title={t('sections.audit')}
      back={<Sections {...(accountId === null ? {} : { accountId })} />}
      intro={t(accountId === null ? 'audit.intro' : 'audit.introAccount')}
    >
      <Filters filter={filter} onChange={onChange} filtered={filtered} />
      {logs === undefined ? (
        query.isError ? (
          <ErrorState error={query.error} title={t('audit.failed')} retry={query.refetch} />
        ) : (
          <LoadingRows rows={8} height={44} />
        )
      ) : logs.length === 0 ? (
        <EmptyState
          title={t(filtered ? 'audit.filtered' : 'audit.empty')}
          text={filtered ? undefined : t('audit.emptyText')}
        >
          {filtered && (
            <Button variant="default" onClick={() => onChange({})}>
              {t('clear')}
            </Button>
          )}
        </EmptyState>
      ) : (
        <>
          <AuditTable logs={logs} withAccount={accountId === null} />
          <LoadMore query={query} />
        </>
      )}
    </Page>
  )
}

const TEXTS = ['actor', 'action', 'subject'] as const
const DAYS = ['since', 'until'] as const

/** Asked for when the form is sent or a field is left, not with every letter. */
function Filters({ filter, onChange, filtered }: Pick<Props, 'filter' | 'onChange'> & { readonly filtered: boolean }) {
  const { t } = useTranslation('operations')
  const [draft, setDraft] = useState(filter)
  useEffect(() => setDraft(filter), [filter])
  const take = (next: AuditFilter = draft) => {
    const clean = Object.fromEntries(
      [...TEXTS, ...DAYS].map((name) => [name, next[name]?.trim() || undefined]),
    ) as AuditFilter
    if ([...TEXTS, ...DAYS].some((name) => clean[name] !== filter[name])) onChange(clean)
  }
  return (
    <form
      className={classes.filters}
      onSubmit={(event: FormEvent) => {
        event.preventDefault()
        take()
      }}
    >
      {TEXTS.map((name) => (
        <TextInput
          key={name}
          label={t(`audit.${name}`)}
          placeholder={t(`audit.${name}Hint`)}
          w={200}
          value={draft[name] ?? ''}
          onChange={(event) => setDraft({ ...draft, [name]: event.currentTarget.value })}
          onBlur={() => take()}
        />
      ))}
      {DAYS.map((name) => (
        <TextInput
          key={name}
          type="date"
          label={t(`audit.${name}`)}
          w={160}
          value={draft[name] ?? ''}
          onChange={(event) => {
            const next = { ...draft, [name]: event.currentTarget.value }
            setDraft(next)
            take(next)
          }}
        />
      ))}
      {/* Enter in a field sends the form. */}
      <button type="submit" className="visually-hidden" tabIndex={-1}>
        {t('audit.action')}
      </button>
      {filtered && (
        <Button variant="subtle" onClick={() => onChange({})}>
          {t('clear')}
        </Button>
      )}
    </form>
  )
}

function AuditTable({ logs, withAccount }: { readonly logs: readonly AuditLog[]; readonly withAccount: boolean }) {
  const { t } = useTranslation('operations')
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by the keyboard.
    <section className={classes.scroller} aria-label={t('audit.caption')} tabIndex={0}>
      <Table className={classes.wide} verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th w={170}>{t('audit.when')}</Table.Th>
            <Table.Th w={160}>{t('audit.actor')}</Table.Th>
            {withAccount && <Table.Th w={80}>{t('audit.account')}</Table.Th>}
            <Table.Th w={220}>{t('audit.action')}</Table.Th>
            <Table.Th w={230}>{t('audit.subject')}</Table.Th>
            <Table.Th>{t('audit.details')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {logs.map((log) => (
            <Table.Tr key={log.id}>
              <Table.Td>
                <When at={log.created_at} as="absolute" />
              </Table.Td>
              <Table.Td className={classes.words}>{log.actor}</Table.Td>
              {withAccount && (
                <Table.Td>
                  {log.account_id === null ? (
                    '–'
                  ) : (
                    <TextLink
                      to="/accounts/$accountId/operations/audit-log"
                      params={{ accountId: log.account_id }}
                      size="sm"
                    >
                      {log.account_id}
                    </TextLink>
                  )}
                </Table.Td>
              )}
              <Table.Td className={classes.words}>{log.action}</Table.Td>
              <Table.Td className={classes.words}>{log.subject}</Table.Td>
              <Table.Td className={classes.words}>
                <Details details={log.details} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  )
}

const FEW = 3

/** One line per detail; a change as from → to. A long list is shown from its beginning until somebody wants all. */
function Details({ details }: { readonly details: Readonly<Record<string, unknown>> }) {
  const { t } = useTranslation('operations')
  const [whole, setWhole] = useState(false)
  const entries: [name: string, value: unknown][] = isChange(details)
    ? [['', details]]
    : Object.entries(details).filter(([, value]) => value !== null && value !== undefined)
  if (entries.length === 0) return <Text c="dimmed">–</Text>
  const long = entries.length > FEW || entries.some(([, value]) => detailWords(value).length > MAX_LENGTH)
  return (
    <>
      {(whole ? entries : entries.slice(0, FEW)).map(([name, value]) => (
        <Text key={name} size="sm" component="div">
          {name === '' ? '' : `${name}: `}
          <Code>{whole ? detailWords(value) : clipped(detailWords(value))}</Code>
        </Text>
      ))}
      {long && (
        <Button size="compact-xs" variant="subtle" aria-expanded={whole} onClick={() => setWhole(!whole)}>
          {t(whole ? 'audit.less' : 'audit.more')}
        </Button>
      )}
    </>
  )
}

const MAX_LENGTH = 80

function detailWords(value: unknown): string {
  if (isChange(value)) return `${detailWords(value.from)} → ${detailWords(value.to)}`
  return (typeof value === 'string' ? value : JSON.stringify(value)) ?? '–'
}

function clipped(text: string): string {
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text
}

function isChange(value: unknown): value is { readonly from?: unknown; readonly to: unknown } {
  return typeof value === 'object' && value !== null && 'to' in value && Object.keys(value).length <= 2
}
