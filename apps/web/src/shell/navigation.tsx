import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import classes from './navigation.module.css'

const AREAS = ['rules', 'automations', 'history', 'operations'] as const
type Area = (typeof AREAS)[number]

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
  if (area === 'operations')
    return (
      <Link to="/operations" {...look}>
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
