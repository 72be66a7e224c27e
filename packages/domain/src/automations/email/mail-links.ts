import { openToken, sealToken } from '../../cursors/signed-token'

/** Which mail an address in it belongs to. */
export interface MailTicket {
  readonly accountId: number
  readonly memberId: string
  /** Of the send record, which is that of the step. */
  readonly emailId: string
}

export interface MailLinks {
  /** One click takes the member's consent back: RFC 8058. */
  readonly unsubscribe: string
  readonly pixel: string
  /** Where a click on `url` is counted before it goes on. */
  click(url: string): string
}

export const UNSUBSCRIBE_PATH = '/unsubscribe'
export const PIXEL_PATH = '/mail/open'
export const CLICK_PATH = '/mail/click'

type Purpose = 'unsubscribe' | 'mail-open' | 'mail-click'

/**
 * The addresses in a mail that lead back to this installation. Signed, so that nobody can speak for another member.
 *
 * @param publicUrl base of the console as receivers reach it, with or without a slash at its end
 */
export function mailLinks(publicUrl: string, key: Uint8Array, ticket: MailTicket): MailLinks {
  const base = publicUrl.replace(/\/+$/, '')
  const seal = (purpose: Purpose, url?: string) => {
    const { accountId, memberId, emailId } = ticket
    return sealToken(key, purpose, JSON.stringify([accountId, memberId, emailId, ...(url === undefined ? [] : [url])]))
  }
  return {
    unsubscribe: `${base}${UNSUBSCRIBE_PATH}/${seal('unsubscribe')}`,
    pixel: `${base}${PIXEL_PATH}/${seal('mail-open')}`,
    click: (url) => `${base}${CLICK_PATH}/${seal('mail-click', url)}`,
  }
}

/** Null for a token that is not one of an unsubscribe address. */
export function openUnsubscribe(key: Uint8Array, token: unknown): MailTicket | null {
  return ticketOf(opened(key, 'unsubscribe', token))
}

/** Null for a token that is not one of a pixel. */
export function openPixel(key: Uint8Array, token: unknown): MailTicket | null {
  return ticketOf(opened(key, 'mail-open', token))
}

/** Null for a token that is not one of a link. */
export function openClick(key: Uint8Array, token: unknown): (MailTicket & { readonly url: string }) | null {
  const parts = opened(key, 'mail-click', token)
  const ticket = ticketOf(parts)
  const url = parts?.[3]
  return ticket === null || typeof url !== 'string' ? null : { ...ticket, url }
}

function opened(key: Uint8Array, purpose: Purpose, token: unknown): readonly unknown[] | null {
  const text = openToken(key, purpose, token)
  return text === null ? null : (JSON.parse(text) as readonly unknown[])
}

function ticketOf(parts: readonly unknown[] | null): MailTicket | null {
  const [accountId, memberId, emailId] = parts ?? []
  if (typeof accountId !== 'number' || typeof memberId !== 'string' || typeof emailId !== 'string') return null
  return { accountId, memberId, emailId }
}
