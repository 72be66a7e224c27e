import { inSnapshot, type StatisticsSource } from './snapshot'

/** A destination that mails of an action link to. */
export interface ActionLink {
  readonly url: string
  /** Members who followed it, each once, whatever revision they were sent. */
  readonly clickCount: number
}

const ACTION = `
  SELECT FROM automation_actions WHERE id = $3 AND automation_id = $2 AND account_id = $1 AND deleted_at IS NULL`

// Also what was followed but stands in no revision: addresses that depend on the member, or that a provider has rewritten.
const LINKS = `
  SELECT url, coalesce(click_count, 0) AS click_count
  FROM (SELECT DISTINCT url FROM automation_email_links WHERE action_id = $1) link
  FULL JOIN (
    SELECT url, count(DISTINCT member_id) AS click_count FROM automation_email_events
    WHERE action_id = $1 AND type = 'clicked' AND url <> '' GROUP BY url
  ) clicked USING (url)
  ORDER BY click_count DESC, url COLLATE "C"`

/** By clicks, then address; unfollowed ones too. Null for an action that was removed or stands in another automation. */
export function findActionLinks(
  source: StatisticsSource,
  accountId: number,
  automationId: string,
  actionId: string,
): Promise<ActionLink[] | null> {
  return inSnapshot(source, async (client) => {
    const values = [accountId, automationId, actionId]
    const { rowCount } = await client.query({ name: 'links-action', text: ACTION, values })
    if (rowCount === 0) return null
    const { rows } = await client.query<{ url: string; click_count: number }>({
      name: 'links',
      text: LINKS,
      values: [actionId],
    })
    return rows.map(({ url, click_count }) => ({ url, clickCount: click_count }))
  })
}
