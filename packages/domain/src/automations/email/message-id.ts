/**
 * The Message-ID of an e-mail step: the same in every attempt, so that a mail that was sent twice by accident is one to
 * whoever receives it, and events of a provider find their way back.
 *
 * @param domain of the sender's address
 */
export function messageIdOf(stepId: string, domain: string): string {
  return `<${stepId}@${domain}>`
}

/** A Message-ID as providers report it, with or without its brackets. */
export function normalMessageId(text: string): string {
  const trimmed = text.trim()
  return trimmed.startsWith('<') && trimmed.endsWith('>') ? trimmed : `<${trimmed}>`
}
