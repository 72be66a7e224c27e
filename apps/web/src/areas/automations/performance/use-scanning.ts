import { useCallback, useEffect, useState } from 'react'
import type { RunFilter } from '../automation-queries'

/** A search that looked long enough in one request is asked again by itself, so long as somebody may still be waiting. */
const PAUSE_MS = 250
const MAX_PAGES_ALONE = 8

interface Query {
  readonly data:
    | { readonly pages: readonly { readonly meta: { readonly pagination: { readonly state?: string } } }[] }
    | undefined
  readonly isFetching: boolean
  readonly isError: boolean
  readonly fetchNextPage: (options: { cancelRefetch: boolean }) => Promise<unknown>
}

export interface Scanning {
  /** It goes on by itself. */
  readonly active: boolean
  /** It went on long enough: somebody has to say so. */
  readonly paused: boolean
  readonly go: () => void
}

export function useScanning(query: Query, { search, order }: Pick<RunFilter, 'search' | 'order'>): Scanning {
  const { isFetching, isError, fetchNextPage } = query
  const pages = query.data?.pages ?? []
  const scans = search !== undefined && pages.at(-1)?.meta.pagination.state === 'scanning'
  const [from, setFrom] = useState(0)
  const alone = pages.length - from < MAX_PAGES_ALONE

  // biome-ignore lint/correctness/useExhaustiveDependencies: another search, or order, counts anew.
  useEffect(() => setFrom(0), [search, order])

  const next = scans && alone && !isFetching && !isError
  useEffect(() => {
    if (!next) return
    const timer = setTimeout(() => void fetchNextPage({ cancelRefetch: false }), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [next, fetchNextPage])

  const go = useCallback(() => setFrom(pages.length), [pages.length])
  return { active: scans && alone && !isError, paused: scans && !alone && !isFetching, go }
}
