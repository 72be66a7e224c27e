import { Group, Title } from '@mantine/core'
import { useMatch } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef } from 'react'
import classes from './page.module.css'

interface Props {
  /** Heading, and the title of the tab. */
  readonly title: string
  /** One line below the heading. */
  readonly intro?: ReactNode
  /** What leads back, above the heading. */
  readonly back?: ReactNode
  /** Beside the heading: a chip, a state. */
  readonly beside?: ReactNode
  /** Buttons of the whole page. */
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** Every view is one of these: title of the tab, one heading, and focus on it when somebody came here by a link. */
export function Page({ title, intro, back, beside, actions, children }: Props) {
  const heading = useRef<HTMLHeadingElement>(null)
  // Its own address: the router's is already the next one while that page is still loaded.
  const pathname = useMatch({ strict: false, select: (match) => match.pathname })

  useEffect(() => {
    document.title = `${title} · Dwell`
  }, [title])

  useEffect(() => {
    if (arrivedAt !== null && arrivedAt !== pathname) heading.current?.focus({ preventScroll: true })
    arrivedAt = pathname
  }, [pathname])

  return (
    <>
      <header className={classes.header}>
        {back}
        <Group justify="space-between" align="flex-start" gap="md">
          <Group gap="sm" align="center">
            <Title order={1} size="h2" ref={heading} tabIndex={-1} className={classes.heading}>
              {title}
            </Title>
            {beside}
          </Group>
          {actions !== undefined && <Group gap="xs">{actions}</Group>}
        </Group>
        {intro !== undefined && <div className={classes.intro}>{intro}</div>}
      </header>
      {children}
    </>
  )
}

/** Where the page before this one was; null before the first, whose focus is the browser's. */
let arrivedAt: string | null = null
