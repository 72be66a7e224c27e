import './texts'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { useRights } from '../../api/session'
import { useAccountInView } from '../../shell/last-account'
import classes from './operations.module.css'

const LOOK = {
  className: classes.section,
  activeOptions: { exact: true, includeSearch: false },
  activeProps: { className: `${classes.section} ${classes.current}` },
} as const

/** The views of this area: of the installation for the admin, of the account for everybody. */
export function Sections({ accountId }: { readonly accountId?: number }) {
  const { t } = useTranslation('operations')
  const { isAdmin, mayChange } = useRights()
  const account = useAccountInView(accountId)
  return (
    <nav aria-label={t('sections.label')} className={classes.sections}>
      {isAdmin && (
        <>
          <Link to="/operations" {...LOOK}>
            {t('sections.sweeps')}
          </Link>
          <Link to="/operations/queues" {...LOOK}>
            {t('sections.queues')}
          </Link>
          <Link to="/operations/dead-events" {...LOOK}>
            {t('sections.dead')}
          </Link>
        </>
      )}
      {account !== null && (
        <Link to="/accounts/$accountId/operations/deliveries" params={{ accountId: account }} {...LOOK}>
          {t('sections.deliveries')}
        </Link>
      )}
      {isAdmin ? (
        <>
          <Link to="/operations/limits" {...LOOK}>
            {t('sections.limits')}
          </Link>
          <Link to="/operations/audit-log" {...LOOK}>
            {t('sections.audit')}
          </Link>
        </>
      ) : (
        mayChange &&
        account !== null && (
          <Link to="/accounts/$accountId/operations/audit-log" params={{ accountId: account }} {...LOOK}>
            {t('sections.audit')}
          </Link>
        )
      )}
    </nav>
  )
}
