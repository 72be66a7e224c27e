import { Alert, Button, List, Stack, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { isProblem } from '../../api/problem'
import { useRights } from '../../api/session'
import { ButtonLink, TextLink } from '../../components/link'
import { Page } from '../../components/page'
import { ErrorState, LoadingRows } from '../../components/states'
import { toastDone } from '../../components/toast'
import { PageNotFound } from '../../shell/fallbacks'
import { useDelayedEnabled } from './delayed-disabled-banner'
import { changeRule, type Rule, ruleQuery } from './queries'
import { changesOf, draftOf } from './rule-draft'
import { RuleEditor } from './rule-editor'
import { DelayChip } from './rule-table'
import { useRuleDraft } from './use-rule-draft'

const route = getRouteApi('/signed-in/accounts/$accountId/rules/$ruleId')

export function EditRulePage() {
  const { t } = useTranslation('rules')
  const { accountId, ruleId } = route.useParams()
  const { data: rule, error, refetch } = useQuery(ruleQuery(accountId, ruleId))
  const enabled = useDelayedEnabled(accountId)
  if (isProblem(error, 404)) return <PageNotFound />
  return (
    <Page
      title={rule?.name ?? t('list.rule')}
      back={
        <TextLink to="/accounts/$accountId/rules" params={{ accountId }} size="sm">
          ← {t('form.back')}
        </TextLink>
      }
      beside={rule === undefined ? undefined : <DelayChip minutes={rule.execution_delay} />}
      actions={
        <ButtonLink variant="default" to="/accounts/$accountId/rules/$ruleId/history" params={{ accountId, ruleId }}>
          {t('form.history')}
        </ButtonLink>
      }
    >
      {rule !== undefined && enabled !== undefined ? (
        <Versions key={ruleId} newest={rule} enabled={enabled} />
      ) : error !== null ? (
        <ErrorState error={error} title={t('list.failed')} retry={refetch} />
      ) : (
        <LoadingRows rows={4} height={140} />
      )}
    </Page>
  )
}

/** Edited is the rule as it was opened: what others save meanwhile must not take away what somebody has typed. */
function Versions({ newest, enabled }: { readonly newest: Rule; readonly enabled: boolean }) {
  const [opened, setOpened] = useState(newest)
  return (
    <Editor
      key={opened.updated_at}
      rule={opened}
      changedElsewhere={newest.updated_at !== opened.updated_at}
      openNewest={() => setOpened(newest)}
      enabled={enabled}
    />
  )
}

interface EditorProps {
  readonly rule: Rule
  readonly changedElsewhere: boolean
  readonly openNewest: () => void
  readonly enabled: boolean
}

function Editor({ rule, changedElsewhere, openNewest, enabled }: EditorProps) {
  const { t } = useTranslation('rules')
  const { accountId, ruleId } = route.useParams()
  const { mayChange } = useRights()
  const navigate = route.useNavigate()
  const queryClient = useQueryClient()
  const hand = useRuleDraft(`${accountId}:${ruleId}`, rule.updated_at, () => draftOf(rule))
  const { touched } = hand

  useEffect(() => {
    if (changedElsewhere && !touched) openNewest()
  }, [changedElsewhere, touched, openNewest])

  async function save() {
    const changes = changesOf(rule, hand.draft)
    const unchanged = Object.keys(changes).length === 0
    const saved = unchanged ? rule : await changeRule(accountId, ruleId, changes)
    hand.discard()
    toastDone(unchanged ? t('form.savedUnchanged') : t('form.saved', { name: saved.name }))
    const tab = saved.execution_delay === null ? 'instant' : 'delayed'
    await navigate({ to: '/accounts/$accountId/rules', params: { accountId }, search: { tab } })
    queryClient.setQueryData(ruleQuery(accountId, ruleId).queryKey, saved)
    await queryClient.invalidateQueries({ queryKey: ['rules', accountId] })
  }

  return (
    <>
      {rule.broken && <Broken rule={rule} />}
      {!mayChange && (
        <Alert color="gray" mb="lg">
          {t('form.agent')}
        </Alert>
      )}
      {changedElsewhere && touched && (
        <Alert color="orange" mb="lg" role="status" title={t('changed.title')}>
          <Stack gap="xs" align="flex-start">
            <Text size="sm">{t('changed.text')}</Text>
            <Button
              size="xs"
              variant="default"
              onClick={() => {
                hand.discard()
                openNewest()
              }}
            >
              {t('changed.open')}
            </Button>
          </Stack>
        </Alert>
      )}
      <RuleEditor
        accountId={accountId}
        hand={hand}
        delayEnabled={enabled}
        readOnly={!mayChange}
        submitLabel={t('form.submit')}
        save={save}
        cancel={
          <ButtonLink variant="default" to="/accounts/$accountId/rules" params={{ accountId }}>
            {t('form.cancel')}
          </ButtonLink>
        }
      />
    </>
  )
}

function Broken({ rule }: { readonly rule: Rule }) {
  const { t } = useTranslation('rules')
  function reasonOf(pointer: string, message: string): string {
    const index = Number(/^\/conditions\/(\d+)\/attribute_key$/.exec(pointer)?.[1] ?? -1)
    const key = rule.conditions[index]?.attribute_key
    return key === undefined ? message : t('broken.reason', { number: index + 1, key })
  }
  return (
    <Alert color="red" mb="lg" icon={<IconAlertTriangle aria-hidden />} title={t('broken.title')}>
      <List size="sm" mb="xs">
        {rule.broken_reasons.map(({ pointer, message }) => (
          <List.Item key={pointer}>{reasonOf(pointer, message)}</List.Item>
        ))}
      </List>
      <Text size="sm">{t('broken.text')}</Text>
    </Alert>
  )
}
