import { useNow } from '../time/now'
import { absoluteWords, exactWords, relativeWords } from '../time/words'

interface Props {
  /** ISO, as the API answers it; nothing is a dash. */
  readonly at: string | null | undefined
  /** `both` shows the date and how far away it is; the other form is always in the tooltip. */
  readonly as?: 'relative' | 'absolute' | 'both'
}

/** An instant for people: relative to now or by the clock of their zone. */
export function When({ at, as = 'relative' }: Props) {
  const now = useNow()
  const instant = at == null ? Number.NaN : Date.parse(at)
  if (at == null || Number.isNaN(instant)) return <>–</>
  const relative = relativeWords(instant, now)
  const absolute = absoluteWords(instant)
  return (
    <time dateTime={at} title={as === 'absolute' ? `${relative}: ${exactWords(instant)}` : exactWords(instant)}>
      {as === 'relative' && relative}
      {as === 'absolute' && absolute}
      {as === 'both' && `${absolute}, ${relative}`}
    </time>
  )
}
