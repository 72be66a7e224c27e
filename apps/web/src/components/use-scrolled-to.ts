import { type RefObject, useEffect } from 'react'

/** In a row of links that scrolls sideways where it is narrow, the one that leads to where one is can be seen. */
export function useScrolledTo(row: RefObject<HTMLElement | null>, selector: string, place: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is marked changes with the place.
  useEffect(() => {
    const { current } = row
    const marked = current?.querySelector<HTMLElement>(selector)
    if (current && marked) current.scrollLeft = marked.offsetLeft - (current.clientWidth - marked.offsetWidth) / 2
  }, [row, selector, place])
}
