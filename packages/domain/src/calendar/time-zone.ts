import { Temporal } from 'temporal-polyfill'

/** Names of the IANA database; offsets and whatever else the library would read as a zone are none. */
const ZONE_NAME = /^[A-Za-z][A-Za-z0-9_+/-]*$/

/**
 * The canonical spelling of an IANA zone written in any letter case (`america/new_york` is `America/New_York`), null where
 * there is no such zone. A link keeps its own name: whoever asks for `Asia/Kolkata` is answered `Asia/Kolkata`, not the
 * older name it points to.
 */
export function canonicalTimeZone(name: string): string | null {
  if (!ZONE_NAME.test(name)) return null
  try {
    return EPOCH.toZonedDateTime(name).timeZoneId
  } catch {
    return null
  }
}

const EPOCH = new Temporal.PlainDate(1970, 1, 1)
