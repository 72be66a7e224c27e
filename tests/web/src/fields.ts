import type { Locator, Page } from 'playwright-core'

/** A part of a page, or all of it. */
type Place = Page | Locator

/** Opens a choice and takes one of its options. */
export async function choose(place: Place, label: string, option: string): Promise<void> {
  const field = place.getByRole('textbox', { name: label, exact: true })
  await field.click()
  const page = 'page' in place ? place.page() : place
  await page.getByRole('option', { name: option, exact: true }).click()
}

/** Writes values as chips, each ended by Enter. */
export async function write(place: Place, label: string, ...values: readonly string[]): Promise<void> {
  const field = place.getByRole('textbox', { name: label, exact: true })
  for (const value of values) {
    await field.fill(value)
    await field.press('Enter')
  }
}

export function conditionNumber(page: Page, number: number): Locator {
  return page.getByRole('group', { name: `Condition ${number}`, exact: true })
}

export function actionNumber(page: Page, number: number): Locator {
  return page.getByRole('group', { name: `Action ${number}`, exact: true })
}

/** The sentence that tells what the rule will do. */
export function told(page: Page): Locator {
  return page.getByRole('complementary', { name: 'What this rule will do' })
}

/**
 * Resolves when what the page has put off until after the present events is done: a list that opens finds its marked option in
 * a task of its own, and no hand that types is as fast as a test.
 */
export async function tasksDone(page: Page): Promise<void> {
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve)))
}
