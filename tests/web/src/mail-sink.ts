const { mail_url: url } = JSON.parse(process.env.DWELL_TEST_INSTANCE ?? '{}') as { readonly mail_url?: string }

/** Of mails to one address: refuses them, or cuts the line once the message has come, before or after it was kept. */
export interface Break {
  readonly to: string
  readonly reply?: number
  readonly drop?: 'before' | 'after'
  /** So many mails; all of them unless given. */
  readonly times?: number
}

/** How the mail server (examples/mail-sink) treats mails from now on; of none takes every one. */
export async function breakMails(...breaks: readonly Break[]): Promise<void> {
  const response = await fetch(`${url}/behaviour`, { method: 'PUT', body: JSON.stringify(breaks) })
  if (!response.ok) throw new Error(`the mail server answered ${response.status}`)
}

/** What it kept for an address, in the order it came. */
export async function mailsTo(address: string): Promise<{ readonly subject: string; readonly message_id: string }[]> {
  const response = await fetch(`${url}/messages?to=${encodeURIComponent(address)}`)
  return ((await response.json()) as { messages: { subject: string; message_id: string }[] }).messages
}
