import './texts'
import { Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { type ReactNode, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { accountQuery } from '../../api/accounts'
import { isProblem } from '../../api/problem'
import { Page } from '../../components/page'
import { ErrorState, LoadingRows } from '../../components/states'
import { useScrolledTo } from '../../components/use-scrolled-to'
import type { SchemaAccount } from '../../generated/openapi'
import { PageNotFound } from '../../shell/fallbacks'
import classes from './settings.module.css'

const LOOK = {
  className: classes.section,
  activeOptions: { exact: true },
  activeProps: { className: `${classes.section} ${classes.current}` },
} as const

const PLACES = [
  ['general', '/accounts/$accountId/settings'],
  ['webhooks', '/accounts/$accountId/settings/webhooks'],
  ['mail', '/accounts/$accountId/settings/mail'],
  ['tokens', '/accounts/$accountId/settings/tokens'],
  ['attributes', '/accounts/$accountId/settings/attributes'],
] as const

interface Props {
  readonly section: (typeof PLACES)[number][0]
  readonly intro?: string
  /** Forms begin with what is stored, so they wait for it. */
  readonly children: (account: SchemaAccount) => ReactNode
}

/** One view of the settings of an account, with the way to the others. */
export function SettingsPage({ section, intro, children }: Props) {
  const { t } = useTranslation('settings')
  const { accountId } = useParams({ from: '/signed-in/accounts/$accountId' })
  const { data: account, error, refetch } = useQuery(accountQuery(accountId))
  const row = useRef<HTMLElement>(null)
  useScrolledTo(row, `.${classes.current}`, section)
  if (isProblem(error, 404)) return <PageNotFound />
  return (
    <Page
      title={section === 'general' ? t('title') : t(`sections.${section}`)}
      intro={intro}
      back={
        <nav ref={row} aria-label={t('sections.label')} className={classes.sections}>
          {PLACES.map(([name, to]) => (
            <Link key={name} to={to} params={{ accountId }} {...LOOK}>
              {t(`sections.${name}`)}
            </Link>
          ))}
        </nav>
      }
    >
      {account !== undefined ? (
        <Stack gap="md">{children(account)}</Stack>
      ) : error === null ? (
        <LoadingRows rows={2} height={180} />
      ) : (
        <ErrorState error={error} title={t('failed')} retry={refetch} />
      )}
    </Page>
  )
}

/** A setting as it is stored: the account's settings are open, so each view knows the shape of its own. */
export function settingOf<T>(account: SchemaAccount, name: string, is: (value: unknown) => value is T): T | undefined {
  const value = account.settings[name]
  return is(value) ? value : undefined
}

export const isText = (value: unknown): value is string => typeof value === 'string'
export const isNumber = (value: unknown): value is number => typeof value === 'number'
export const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean'
export const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText)
