import { TIER_SCOPES, type TierScope } from '@dwell/contracts/automations'
import { Group, TagsInput, Text } from '@mantine/core'
import { IconLogin2 } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { Choice } from './choice'
import { draftFaults, fieldOf } from './draft'
import classes from './path.module.css'
import { sentence } from './server-words'
import type { Editor } from './use-editor'

const NOBODY = 'nobody'

/** Who enters, and what makes them leave early. */
export function TriggerCard({ editor, readOnly }: { readonly editor: Editor; readonly readOnly: boolean }) {
  const { t } = useTranslation('automations')
  const { draft, change } = editor
  const scope = draft.scope ?? NOBODY
  const tiersMissing = draftFaults(draft).some(({ kind }) => kind === 'tiers_missing')
  const refused = editor.faults.find(({ pointer }) => fieldOf(pointer) === 'trigger_tier_ids')
  return (
    <section className={classes.card} aria-label={t('trigger.label')}>
      <Group gap="xs">
        <IconLogin2 size={18} aria-hidden />
        <Text fw={600}>{t('trigger.label')}</Text>
      </Group>
      <Choice
        aria-label={t('trigger.who')}
        readOnly={readOnly}
        data={[...TIER_SCOPES, NOBODY].map((value) => ({ value, label: t(`trigger.scopes.${value as TierScope}`) }))}
        value={scope}
        onChange={(value) => change((now) => ({ ...now, scope: TIER_SCOPES.find((one) => one === value) ?? null }))}
      />
      {draft.scope === 'selected_paid' && (
        <TagsInput
          label={t('trigger.tiers')}
          description={t('trigger.tiersHint')}
          value={[...draft.tierIds]}
          readOnly={readOnly}
          error={tiersMissing ? t('faults.tiers_missing') : refused && sentence(refused.message)}
          onChange={(tierIds) => change((now) => ({ ...now, tierIds }))}
        />
      )}
      <Text size="sm" c="dimmed">
        {t(`trigger.exits.${scope}`)}
      </Text>
    </section>
  )
}
