import type { EmailData } from '@dwell/contracts/automations'
import type { Micros } from '@dwell/contracts/instant'
import type { Fault } from '@dwell/contracts/rule'
import { unknownMember } from '../member'
import { type CompiledEmail, compileEmail, type EmailField } from './compile-email'
import { emailScope } from './email-scope'

/**
 * Whether an e-mail can be rendered, found out by rendering it: once for somebody of whom everything is known and once for
 * somebody of whom nothing is. Drafts are asked as well; being empty is a fault only of what is published.
 *
 * @param pointer of the action's `data`
 */
export function emailFaults(data: EmailData, pointer: string, published: boolean): readonly Fault[] {
  const compilation = compileEmail(data)
  if (!compilation.ok) return compilation.faults.map(({ field, error }) => unrenderable(pointer, field, error))
  const { email } = compilation
  const renderings = SAMPLES.map((scope) => email.render(scope, { now: 0 as Micros, timeZone: 'UTC' }))
  const failed = renderings.find((rendering) => !rendering.ok)
  return [
    ...(failed === undefined ? [] : [unrenderable(pointer, failed.field, failed.error)]),
    ...(published ? emptinessFaults(email, pointer) : []),
  ]
}

function emptinessFaults({ hasSubject, hasBody }: CompiledEmail, pointer: string): readonly Fault[] {
  const faults: Fault[] = []
  if (!hasSubject) {
    const message = 'an active automation needs a subject in every e-mail'
    faults.push({ pointer: `${pointer}/email_subject`, code: 'subject_blank', message })
  }
  if (!hasBody) {
    const message = 'an active automation needs a body in every e-mail'
    faults.push({ pointer: `${pointer}/email_body`, code: 'body_empty', message })
  }
  return faults
}

function unrenderable(pointer: string, field: EmailField, error: string): Fault {
  return { pointer: `${pointer}/${field}`, code: 'email_unrenderable', message: `cannot be rendered: ${error}` }
}

const NOBODY = unknownMember(1, '1')
/** Somebody of whom everything is known. */
export const SAMPLE_MEMBER = {
  ...NOBODY,
  facts: {
    uuid: '00000000-0000-4000-8000-000000000000',
    name: 'Alex Example',
    email: 'alex@example.com',
    status: 'free' as const,
    tier_ids: [],
    enable_updates_and_announcements: true,
    newsletter_ids: [],
  },
}

/** Whom previews and test sends are rendered for where nobody is named. */
export const SAMPLES = [SAMPLE_MEMBER, NOBODY].map((member) =>
  emailScope({
    account: { id: 1, name: 'Example' },
    automation: { id: '00000000-0000-7000-8000-000000000000', name: 'Welcome' },
    member,
    unsubscribeUrl: 'https://example.com/unsubscribe',
  }),
)
