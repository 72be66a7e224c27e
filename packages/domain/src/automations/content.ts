import type { ActionData, EmailData } from '@dwell/contracts/automations'

/** Whether two contents say the same: an unchanged action gets no new revision. */
export function isSameContent(a: ActionData, b: ActionData): boolean {
  if ('wait_hours' in a || 'wait_hours' in b) {
    return 'wait_hours' in a && 'wait_hours' in b && a.wait_hours === b.wait_hours
  }
  return (
    a.email_subject === b.email_subject &&
    a.email_format === b.email_format &&
    (a.email_body === b.email_body || (a.email_format === 'lexical' && isSameDocument(a, b)))
  )
}

/** An editor may write the same document with other spaces, or its keys in another order. */
function isSameDocument(a: EmailData, b: EmailData): boolean {
  const left = canonical(a.email_body)
  return left !== null && left === canonical(b.email_body)
}

function canonical(json: string): string | null {
  try {
    return JSON.stringify(JSON.parse(json), (_key, value: unknown) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
        : value,
    )
  } catch {
    return null
  }
}
