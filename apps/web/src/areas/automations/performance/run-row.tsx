import { UnstyledButton } from '@mantine/core'
import { memo } from 'react'
import { useTranslation } from 'react-i18next'
import { When } from '../../../components/when'
import { absoluteWords } from '../../../time/words'
import type { Run } from '../automation-queries'
import { memberName } from '../member-name'
import classes from './runs.module.css'

interface Props {
  readonly run: Run
  /** From 0, of the whole list. */
  readonly index: number
  /** Its history is what is open. */
  readonly current: boolean
  readonly onOpen: (runId: string) => void
}

/** One run; a click anywhere on it opens its history. */
export const RunRow = memo(function RunRow({ run, index, current, onOpen }: Props) {
  const { t } = useTranslation('runs')
  const { member } = run
  const name = memberName(member) ?? t('list.gone')
  const address = member?.name == null ? null : member.email
  return (
    // Below the row of the headings, counted from 1.
    <tr className={classes.row} aria-rowindex={index + 2} data-current={current}>
      <td>
        <UnstyledButton className={classes.run} data-run={run.id} aria-current={current} onClick={() => onOpen(run.id)}>
          <span className={member === null ? `${classes.name} ${classes.gone}` : classes.name}>{name}</span>
          {address !== null && <span className={classes.address}>{address}</span>}
          <span className="visually-hidden">
            {t('list.enteredAt', { when: absoluteWords(Date.parse(run.created_at)) })}
          </span>
        </UnstyledButton>
      </td>
      <td>
        <When at={run.created_at} />
      </td>
      <td>
        <span className={classes.state}>
          {run.failed && <span className={classes.dot} aria-hidden />}
          {t(run.failed ? 'status.failed' : `status.${run.status}`)}
        </span>
      </td>
    </tr>
  )
})
