import { Link, useLocation } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import classes from './navigation.module.css'

const AREAS = ['rules', 'automations', 'history', 'operations', 'settings'] as const
type Area = (typeof AREAS)[number]

const OPERATIONS = /^\/(?:accounts\/\d+\/)?operations(?:\/|$)/

export function Navigation({ accountId }: { readonly accountId: number | null }) {
  const { t } = useTranslation()
  return (
    <nav aria-label={t('navigation')} className={classes.nav}>
      {AREAS.map((area) => (
        <AreaLink key={area} area={area} accountId={accountId}>
          {t(`areas.${area}`)}
        </AreaLink>
      ))}
    </nav>
  )
}

function AreaLink({
  area,
  accountId,
  children,
}: {
  readonly area: Area
  readonly accountId: number | null
  readonly children: ReactNode
}) {
  // Below an area's address the link stays marked: `active` looks at the beginning of the path.
  const look = { className: classes.link, activeProps: { className: `${classes.link} ${classes.active}` } }
  // Some of its views belong to an account, and have the address of one.
  const operating = useLocation({ select: ({ pathname }) => OPERATIONS.test(pathname) })
  if (area === 'operations')
    return (
      <Link to="/operations" className={operating ? `${classes.link} ${classes.active}` : classes.link}>
        {children}
      </Link>
    )
  if (accountId === null) return null
  return (
    <Link to={`/accounts/$accountId/${area}`} params={{ accountId }} {...look}>
      {children}
    </Link>
  )
}
