import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { screenshot } from './browser'

const SCHEMES = ['light', 'dark'] as const

/** What axe finds on the page as it is. */
export async function barriersOn(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  const violations = await page.evaluate(async () => {
    const { axe: checker } = window as unknown as { axe: typeof axe }
    const result = await checker.run(document, {
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    })
    return result.violations
  })
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${help}: ${target.join(' ')} (${failureSummary})`),
  )
}

/** Looks at the page in light and in dark: no barriers in either, and a screenshot of each, `<name>-light`, `<name>-dark`. */
export async function lookAt(page: Page, name: string): Promise<void> {
  const found: string[] = []
  for (const colorScheme of SCHEMES) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.locator(`html[data-mantine-color-scheme="${colorScheme}"]`).waitFor()
    await screenshot(page, `${name}-${colorScheme}`)
    found.push(...(await barriersOn(page)).map((text) => `${colorScheme}: ${text}`))
  }
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  expect(found).toEqual([])
}
