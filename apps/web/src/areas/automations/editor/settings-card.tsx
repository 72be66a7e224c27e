import { MAX_DESCRIPTION_CHARACTERS, MAX_NAME_CHARACTERS, RE_ENTRIES, type ReEntry } from '@dwell/contracts/automations'
import { Group, NumberInput, Textarea, TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { Choice } from './choice'
import { draftFaults, fieldOf } from './draft'
import classes from './path.module.css'
import { sentence } from './server-words'
import type { Editor } from './use-editor'

/** Name, description, and how often a member may enter. */
export function SettingsCard({ editor, readOnly }: { readonly editor: Editor; readonly readOnly: boolean }) {
  const { t } = useTranslation('automations')
  const { draft, change } = editor
  const has = (kind: string) => draftFaults(draft).some((fault) => fault.kind === kind)
  const said = (field: string) => {
    const fault = editor.faults.find(({ pointer }) => fieldOf(pointer) === field)
    return fault === undefined ? undefined : sentence(fault.message)
  }
  const touched = editor.saved !== null || draft.name !== ''
  return (
    <section className={classes.card} aria-label={t('settings.label')}>
      <TextInput
        label={t('settings.name')}
        value={draft.name}
        readOnly={readOnly}
        maxLength={MAX_NAME_CHARACTERS + 20}
        error={
          has('name_too_long')
            ? t('faults.name_too_long')
            : touched && has('name_missing')
              ? t('faults.name_missing')
              : said('name')
        }
        onChange={({ currentTarget: { value } }) => change((now) => ({ ...now, name: value }))}
      />
      <Textarea
        label={t('settings.description')}
        value={draft.description}
        readOnly={readOnly}
        autosize
        minRows={1}
        maxRows={6}
        maxLength={MAX_DESCRIPTION_CHARACTERS}
        error={said('description')}
        onChange={({ currentTarget: { value } }) => change((now) => ({ ...now, description: value }))}
      />
      <Group align="flex-start" gap="xs">
        <Choice
          label={t('settings.reEntry')}
          readOnly={readOnly}
          data={RE_ENTRIES.map((value) => ({ value, label: t(`settings.reEntries.${value}`) }))}
          value={draft.reEntry}
          onChange={(value) =>
            change((now) => ({
              ...now,
              reEntry: value as ReEntry,
              reEntryDays: value === 'after_days' ? (now.reEntryDays ?? 30) : null,
            }))
          }
        />
        {draft.reEntry === 'after_days' && (
          <NumberInput
            w={110}
            label={t('settings.days')}
            value={draft.reEntryDays ?? ''}
            readOnly={readOnly}
            allowDecimal={false}
            allowNegative={false}
            clampBehavior="none"
            error={has('days_invalid') ? t('faults.days_invalid') : said('re_entry_days')}
            onChange={(value) => change((now) => ({ ...now, reEntryDays: value === '' ? null : Number(value) }))}
          />
        )}
      </Group>
    </section>
  )
}
