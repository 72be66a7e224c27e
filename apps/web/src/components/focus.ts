/**
 * For after something was removed: where it had the focus, that goes to the heading of the page instead of nowhere, so the
 * keyboard and a screen reader go on from there.
 */
export function rescueFocus(): void {
  // Two frames: the view without it stands there then.
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      const { activeElement } = document
      if (activeElement !== null && activeElement !== document.body) return
      document.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true })
    }),
  )
}
