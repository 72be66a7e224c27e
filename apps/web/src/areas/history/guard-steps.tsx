import { Code, Text } from '@mantine/core'
import { IconCircleCheck, IconCircleDashed, IconCircleX } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import classes from './history.module.css'
import { episodeWords, plainWords, type Texts, valueWords } from './words'

export interface Step {
  readonly name: string
  /** Null where it was not asked any more. */
  readonly passed: boolean | null
  readonly detail?: string
  readonly seen?: Readonly<Record<string, unknown>>
}

/** The order in which a worker asks; the first that fails decides. */
export const GUARD_ORDER = ['kill_switch', 'rule', 'flag', 'conversation', 'episode', 'conditions'] as const

/** A chain of checks with what each saw. */
export function GuardSteps({ steps }: { readonly steps: readonly Step[] }) {
  return (
    <ol className={classes.steps}>
      {steps.map((step) => (
        <GuardStep key={step.name} step={step} />
      ))}
    </ol>
  )
}

function GuardStep({ step: { name, passed, detail, seen } }: { readonly step: Step }) {
  const { t } = useTranslation('history')
  const known = t(`guards.${name}` as 'guards.rule', { defaultValue: '' })
  const { results, ...rest } = seen ?? {}
  const moved = passed === false && name === 'episode' ? movedWords(rest, t) : undefined
  const entries =
    moved === undefined ? Object.entries(rest).filter(([, value]) => value !== null && value !== undefined) : []
  return (
    <li className={classes.step}>
      <Mark passed={passed} />
      <div>
        <Text size="sm" fw={500} c={passed === null ? 'dimmed' : undefined}>
          {known === '' ? plainWords(name) : known}
          <Text span size="sm" fw={400} c="dimmed">
            {': '}
            {passed === null ? t('details.notAsked') : passed ? t('why.yes') : t('why.no')}
          </Text>
        </Text>
        {detail !== undefined && detail !== '' && (passed === false || name === 'episode') && (
          <Text size="sm">{detail}</Text>
        )}
        {moved !== undefined && <Text size="sm">{moved}</Text>}
        {passed === false && Array.isArray(results) && results.length > 0 && (
          <Text size="sm">
            {results
              .map((held, index) => t(held === true ? 'details.held' : 'details.heldNot', { number: index + 1 }))
              .join(', ')}
          </Text>
        )}
        {passed === false && entries.length > 0 && (
          <Text size="sm" c="dimmed" component="div">
            {t('details.saw')}{' '}
            {entries.map(([key, value]) => (
              <Code key={key} mr={4}>
                {key}: {valueWords(value, 'null')}
              </Code>
            ))}
          </Text>
        )}
      </div>
    </li>
  )
}

/** The episode that the row waited for and the one of the conversation when it was asked; undefined where one is not known. */
function movedWords({ row, now }: Readonly<Record<string, unknown>>, t: Texts): string | undefined {
  if (typeof row !== 'string' || typeof now !== 'string') return undefined
  return t('details.moved', { armed: episodeWords(row, t), now: episodeWords(now, t) })
}

function Mark({ passed }: { readonly passed: boolean | null }) {
  if (passed === null) return <IconCircleDashed size={20} aria-hidden className={classes.skipped} />
  return passed ? (
    <IconCircleCheck size={20} aria-hidden className={classes.passed} />
  ) : (
    <IconCircleX size={20} aria-hidden className={classes.stopped} />
  )
}
