import { MAX_DESCRIPTION_CHARACTERS, MAX_NAME_CHARACTERS, RE_ENTRIES, type ReEntry } from '@dwell/contracts/automations'
import { Group, NativeSelect, NumberInput, Textarea, TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { draftFaults } from './draft'
import classes from './path.module.css'
import type { Editor } from './use-editor'

/** Name, description, and how often a member may enter. */
export function SettingsCard({ editor, readOnly }: { readonly editor: Editor; readonly readOnly: boolean }) {
  const { t } = useTranslation('automations')
  const { draft, change } = editor
  const has = (kind: string) => draftFaults(draft).some((fault) => fault.kind === kind)
  const touched = editor.saved !== null || draft.name !== ''
  return (
    <section className={classes.card} aria-label={t('settings.label')}>
      <TextInput
        label={t('settings.name')}
        value={draft.name}
        readOnly={readOnly}
        maxLength={MAX_NAME_CHARACTERS + 20}
        error={
          has('name_too_long') ? t('faults.name_too_long') : touched && has('name_missing') && t('faults.name_missing')
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
        onChange={({ currentTarget: { value } }) => change((now) => ({ ...now, description: value }))}
      />
      <Group align="flex-start" gap="xs">
        <NativeSelect
          label={t('settings.reEntry')}
          disabled={readOnly}
          data={RE_ENTRIES.map((value) => ({ value, label: t(`settings.reEntries.${value}`) }))}
          value={draft.reEntry}
          onChange={({ currentTarget: { value } }) =>
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
            error={has('days_invalid') && t('faults.days_invalid')}
            onChange={(value) => change((now) => ({ ...now, reEntryDays: value === '' ? null : Number(value) }))}
          />
        )}
      </Group>
    </section>
  )
}
