import { RULE_EVENTS } from '@dwell/contracts/rule'
import { Alert, Select, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { Fault } from '../../api/problem'
import { ActionsField } from './actions-field'
import { ConditionsField } from './conditions-field'
import { DelayField } from './delay-field'
import { useFaultAt } from './faults'
import { definitionsQuery } from './queries'
import { type RuleDraft, ruleOf, triggerOf, withTiming, withTrigger } from './rule-draft'
import classes from './rules.module.css'
import { tellRule } from './sentence'

interface Props {
  readonly accountId: number
  readonly draft: RuleDraft
  readonly faults: readonly Fault[]
  /** The account may delay. */
  readonly delayEnabled: boolean
  readonly readOnly: boolean
  /** `pointer`: what was touched; faults there are answered. */
  readonly onChange: (draft: RuleDraft, pointer: string) => void
}

/** All fields of a rule, and below them what it will do in plain words. */
export function RuleForm({ accountId, draft, faults, delayEnabled, readOnly, onChange }: Props) {
  const { t } = useTranslation('rules')
  const { data: definitions = [] } = useQuery(definitionsQuery(accountId))
  const faultAt = useFaultAt(faults)
  const trigger = triggerOf(draft)
  return (
    <div className={classes.columns}>
      <Stack gap="lg">
        <div className={classes.section}>
          <Stack gap="sm">
            <TextInput
              label={t('form.name')}
              value={draft.name}
              error={faultAt('/name')}
              readOnly={readOnly}
              maxLength={255}
              onChange={(event) => onChange({ ...draft, name: event.currentTarget.value }, '/name')}
            />
            <Textarea
              label={t('form.description')}
              description={readOnly ? undefined : t('form.descriptionHint')}
              autosize
              minRows={1}
              value={draft.description}
              error={faultAt('/description')}
              readOnly={readOnly}
              onChange={(event) => onChange({ ...draft, description: event.currentTarget.value }, '/description')}
            />
          </Stack>
        </div>

        <fieldset className={classes.section}>
          <legend className={classes.legend}>{t('event.label')}</legend>
          <Stack gap="md">
            <Select
              aria-label={t('event.label')}
              data={RULE_EVENTS.map((value) => ({ value, label: t(`event.names.${value}`) }))}
              value={trigger.event}
              error={faultAt('/event_name')}
              readOnly={readOnly}
              allowDeselect={false}
              maw={360}
              onChange={(name) => {
                const event = RULE_EVENTS.find((known) => known === name)
                if (event !== undefined) onChange(withTrigger(draft, { ...trigger, event }), '/event_name')
              }}
            />
            {(delayEnabled || draft.timing === 'later') && (
              <div>
                <Text fw={600} mb="xs">
                  {t('delay.legend')}
                </Text>
                <DelayField
                  timing={draft.timing}
                  delay={draft.delay}
                  hasOtherSide={draft.later !== null && draft.now !== null}
                  enabled={delayEnabled}
                  faultAt={faultAt}
                  readOnly={readOnly}
                  onTiming={(timing) => onChange(withTiming(draft, timing), '/execution_delay')}
                  onDelay={(delay) => onChange({ ...draft, delay }, '/execution_delay')}
                />
              </div>
            )}
          </Stack>
        </fieldset>

        <fieldset className={classes.section}>
          <legend className={classes.legend}>{t('conditions.legend')}</legend>
          <ConditionsField
            trigger={trigger}
            delayed={draft.timing === 'later'}
            definitions={definitions}
            faultAt={faultAt}
            readOnly={readOnly}
            onChange={(conditions, pointer) => onChange(withTrigger(draft, { ...trigger, conditions }), pointer)}
          />
          {faultAt('/conditions', true) !== undefined && (
            <Alert color="red" mt="sm">
              {faultAt('/conditions', true)}
            </Alert>
          )}
        </fieldset>

        <fieldset className={classes.section}>
          <legend className={classes.legend}>{t('actions.legend')}</legend>
          <ActionsField
            actions={draft.actions}
            definitions={definitions}
            faultAt={faultAt}
            readOnly={readOnly}
            onChange={(actions, pointer) => onChange({ ...draft, actions }, pointer)}
          />
        </fieldset>
      </Stack>
      <Told draft={draft} definitions={definitions} />
    </div>
  )
}

function Told({
  draft,
  definitions,
}: {
  readonly draft: RuleDraft
  readonly definitions: Parameters<typeof tellRule>[1]
}) {
  const { t } = useTranslation('rules')
  const { sentence, notes } = tellRule(ruleOf(draft), definitions, t)
  return (
    <aside className={classes.sentence} aria-label={t('form.tell')}>
      <Text fw={600} mb={4}>
        {t('form.tell')}
      </Text>
      <Text>{sentence}</Text>
      {[...notes, t('form.existing')].map((note) => (
        <Text key={note} size="sm" mt="sm">
          {note}
        </Text>
      ))}
    </aside>
  )
}
