import { Outlet, useParams } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { AccountSwitcher } from './account-switcher'
import { AppearanceMenu } from './appearance-menu'
import { Brand } from './brand'
import classes from './frame.module.css'
import { rememberAccount, useAccountInView } from './last-account'
import { Navigation } from './navigation'
import { PersonMenu } from './person-menu'

/** What stands around every view: who, where, and the way to the others. */
export function Frame() {
  const { t } = useTranslation()
  const params = useParams({ strict: false })
  const accountId = useAccountInView(params.accountId)

  useEffect(() => {
    if (params.accountId !== undefined) rememberAccount(params.accountId)
  }, [params.accountId])

  return (
    <>
      <a href="#main" className={`${classes.skip} visually-hidden`}>
        {t('skip')}
      </a>
      <header className={classes.header}>
        <div className={classes.bar}>
          <Brand />
          <div className={classes.account}>
            <AccountSwitcher accountId={accountId} />
          </div>
          <div className={classes.areas}>
            <Navigation accountId={accountId} />
          </div>
          <div className={classes.tools}>
            <AppearanceMenu />
            <PersonMenu />
          </div>
        </div>
      </header>
      <main id="main" tabIndex={-1} className={classes.main}>
        <Outlet />
      </main>
    </>
  )
}
