import { Link, useLocation } from '@tanstack/react-router'
import { type ReactNode, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { useScrolledTo } from '../components/use-scrolled-to'
import classes from './navigation.module.css'

const AREAS = ['rules', 'automations', 'history', 'operations', 'settings'] as const
type Area = (typeof AREAS)[number]

/** Where an area has addresses that do not begin with its own. */
const ELSEWHERE: Readonly<Partial<Record<Area, RegExp>>> = {
  operations: /^\/accounts\/\d+\/operations(?:\/|$)/,
  history: /^\/accounts\/\d+\/conversations\//,
}

export function Navigation({ accountId }: { readonly accountId: number | null }) {
  const { t } = useTranslation()
  const row = useRef<HTMLElement>(null)
  useScrolledTo(row, `.${classes.active}`, useLocation({ select: ({ pathname }) => pathname }))
  return (
    <nav ref={row} aria-label={t('navigation')} className={classes.nav}>
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
  const marked = `${classes.link} ${classes.active}`
  const elsewhere = useLocation({ select: ({ pathname }) => ELSEWHERE[area]?.test(pathname) === true })
  const look = { className: elsewhere ? marked : classes.link, activeProps: { className: marked } }
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
