import { Button, Group, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { useRights } from '../../api/session'
import { ButtonLink, TextLink } from '../../components/link'
import { Page } from '../../components/page'
import { EmptyState, LoadingRows } from '../../components/states'
import { toastDone } from '../../components/toast'
import { useDelayedEnabled } from './delayed-disabled-banner'
import { createRule } from './queries'
import { firstDraft, RECIPES, recipeDraft } from './recipes'
import { ruleOf } from './rule-draft'
import { RuleEditor } from './rule-editor'
import { useRuleDraft } from './use-rule-draft'

const route = getRouteApi('/signed-in/accounts/$accountId/rules/new')

export function NewRulePage() {
  const { t } = useTranslation(['rules', 'shell'])
  const { accountId } = route.useParams()
  const { mayChange } = useRights()
  const enabled = useDelayedEnabled(accountId)
  return (
    <Page
      title={t('form.newTitle')}
      back={
        <TextLink to="/accounts/$accountId/rules" params={{ accountId }} size="sm">
          ← {t('form.back')}
        </TextLink>
      }
    >
      {mayChange ? (
        enabled === undefined ? (
          <LoadingRows rows={4} height={140} />
        ) : (
          <Editor enabled={enabled} />
        )
      ) : (
        <EmptyState title={t('shell:readOnly')} />
      )}
    </Page>
  )
}

function Editor({ enabled }: { readonly enabled: boolean }) {
  const { t } = useTranslation('rules')
  const { accountId } = route.useParams()
  const { tab, recipe } = route.useSearch()
  const navigate = route.useNavigate()
  const queryClient = useQueryClient()
  const hand = useRuleDraft(`${accountId}:new`, enabled ? 'delays' : 'no delays', () =>
    firstDraft(enabled ? recipe : undefined, enabled && tab !== 'instant'),
  )

  async function save() {
    const rule = await createRule(accountId, ruleOf(hand.draft))
    hand.discard()
    await queryClient.invalidateQueries({ queryKey: ['rules', accountId] })
    toastDone(t('form.created', { name: rule.name }))
    const next = rule.execution_delay === null ? 'instant' : 'delayed'
    await navigate({ to: '/accounts/$accountId/rules', params: { accountId }, search: { tab: next } })
  }

  return (
    <>
      {enabled && !hand.touched && (
        <Group gap="xs" mb="lg" role="group" aria-label={t('form.recipes')}>
          <Text size="sm" c="dimmed">
            {t('form.recipes')}:
          </Text>
          {RECIPES.map((one) => (
            <Button
              key={one}
              variant="default"
              size="xs"
              radius="xl"
              title={t(`recipes.${one}Text`)}
              onClick={() => hand.change(recipeDraft(one))}
            >
              {t(`recipes.${one}`)}
            </Button>
          ))}
        </Group>
      )}
      <RuleEditor
        accountId={accountId}
        hand={hand}
        delayEnabled={enabled}
        readOnly={false}
        submitLabel={t('form.submitNew')}
        save={save}
        cancel={
          <ButtonLink variant="default" to="/accounts/$accountId/rules" params={{ accountId }} search={{ tab }}>
            {t('form.cancel')}
          </ButtonLink>
        }
      />
    </>
  )
}
