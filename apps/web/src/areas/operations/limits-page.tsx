import { Alert, Button, Group, NumberInput, Select, Stack, Text, Title } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useConfirm } from '../../components/confirm'
import { Page } from '../../components/page'
import { ErrorState, LoadingRows } from '../../components/states'
import { toastDone, toastProblem } from '../../components/toast'
import { When } from '../../components/when'
import classes from './operations.module.css'
import { configsQuery, type InstallationConfig, putConfig } from './queries'
import { Sections } from './sections'
import { isTrue } from './tiles'

const KILL_SWITCH = 'DISABLE_DELAYED_AUTOMATIONS'

/** The kill switch, and what else holds for the whole installation. */
export function LimitsPage() {
  const { t } = useTranslation('operations')
  const { data: configs, error, refetch } = useQuery(configsQuery)
  const killSwitch = configs?.find(({ name }) => name === KILL_SWITCH)
  return (
    <Page title={t('sections.limits')} back={<Sections />} intro={t('limits.intro')}>
      {configs === undefined ? (
        error === null ? (
          <LoadingRows rows={3} height={140} />
        ) : (
          <ErrorState error={error} title={t('limits.failed')} retry={refetch} />
        )
      ) : (
        <Stack gap="md" maw={760}>
          {killSwitch !== undefined && <KillSwitch config={killSwitch} />}
          {configs
            .filter(({ name }) => name !== KILL_SWITCH)
            .map((config) => (
              <Setting key={config.name} config={config} />
            ))}
        </Stack>
      )}
    </Page>
  )
}

/** Changes a setting; every view that shows one looks again. */
function useChange(name: InstallationConfig['name'], title: string) {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: ({ value }: { readonly value: InstallationConfig['value']; readonly done: string }) =>
      putConfig(name, value),
    onSuccess: (_answer, { done }) => toastDone(done),
    onError: (error) => toastProblem(error, title),
    onSettled: () => queryClient.invalidateQueries({ queryKey: configsQuery.queryKey }),
  })
}

function KillSwitch({ config }: { readonly config: InstallationConfig }) {
  const { t } = useTranslation('operations')
  const confirm = useConfirm()
  const change = useChange(KILL_SWITCH, t('limits.kill.title'))
  const stopped = isTrue(config.value)
  const act = stopped ? 'resume' : 'stop'
  return (
    <section className={classes.card}>
      <Group justify="space-between" align="flex-start">
        <div className={classes.about}>
          <Title order={2} size="h5">
            {t('limits.kill.title')}
          </Title>
          <Text size="sm" mt={4}>
            {t('limits.kill.about')}
          </Text>
        </div>
        <Button
          color={stopped ? undefined : 'red'}
          loading={change.isPending}
          className={classes.whole}
          onClick={async () => {
            const answer = await confirm({
              title: t(`limits.kill.${act}Title`),
              text: t(`limits.kill.${act}Text`),
              confirm: t(`limits.kill.${act}`),
              danger: !stopped,
            })
            if (answer === null) return
            change.mutate({ value: !stopped, done: t(stopped ? 'limits.kill.resumed' : 'limits.kill.stopped') })
          }}
        >
          {t(`limits.kill.${act}`)}
        </Button>
      </Group>
      <Alert
        variant="light"
        color={stopped ? 'red' : 'green'}
        mt="md"
        title={t(stopped ? 'limits.kill.on' : 'limits.kill.off')}
      >
        {config.updated_at !== null && <Updated config={config} />}
      </Alert>
    </section>
  )
}

function Updated({ config: { updated_at: at } }: { readonly config: InstallationConfig }) {
  const { t } = useTranslation('operations')
  if (at === null) return null
  return (
    <Text size="sm" c="dimmed">
      {t('limits.updated', { when: '' })}
      <When at={at} as="both" />
    </Text>
  )
}

function Setting({ config }: { readonly config: InstallationConfig }) {
  const { t } = useTranslation('operations')
  const confirm = useConfirm()
  const key = `limits.configs.${config.name}` as 'limits.configs.DELAYED_AUTOMATIONS_WHEN_DISABLED'
  const title = t(`${key}.title`, { defaultValue: config.name })
  const change = useChange(config.name, title)
  const [value, setValue] = useState<string | number>(String(config.value))
  // Somebody else may change it meanwhile.
  useEffect(() => setValue(String(config.value)), [config.value])
  const wordsOf = (one: unknown) => {
    const name = String(one).trim().toLowerCase()
    if (name === 'skip' || name === 'pause') return t(`limits.${name}`)
    return config.type === 'integer' ? Number(one).toLocaleString() : String(one)
  }
  const unchanged = String(value).trim().toLowerCase() === String(config.value).trim().toLowerCase()
  const number = Number(value)
  const fault =
    config.type === 'integer' &&
    !(
      Number.isInteger(number) &&
      number >= (config.minimum ?? 0) &&
      number <= (config.maximum ?? Number.MAX_SAFE_INTEGER)
    )

  async function save(event: FormEvent) {
    event.preventDefault()
    if (unchanged || fault) return
    const answer = await confirm({
      title: t('limits.changeTitle'),
      text: t('limits.changeText', { from: wordsOf(config.value), to: wordsOf(value) }),
      confirm: t('limits.change'),
    })
    if (answer !== null) change.mutate({ value: config.type === 'integer' ? number : value, done: t('limits.changed') })
  }

  return (
    <form className={classes.card} onSubmit={(event) => void save(event)}>
      <Title order={2} size="h5">
        {title}
      </Title>
      <Text size="sm" mt={4} mb="sm">
        {t(`${key}.about`, { defaultValue: config.description })}
      </Text>
      <Group align="flex-end">
        {config.type === 'choice' ? (
          <Select
            label={title}
            labelProps={{ className: 'visually-hidden' }}
            className={classes.choice}
            allowDeselect={false}
            data={(config.choices ?? []).map((choice) => ({ value: choice, label: wordsOf(choice) }))}
            value={String(value).toLowerCase()}
            onChange={(next) => setValue(next ?? '')}
            comboboxProps={{ withinPortal: false }}
          />
        ) : (
          <NumberInput
            label={title}
            labelProps={{ className: 'visually-hidden' }}
            w={160}
            allowDecimal={false}
            thousandSeparator=","
            value={value}
            error={
              fault ? t('limits.range', { min: config.minimum, max: config.maximum?.toLocaleString() }) : undefined
            }
            onChange={setValue}
          />
        )}
        <Button type="submit" disabled={unchanged || fault} loading={change.isPending}>
          {t('limits.save')}
        </Button>
      </Group>
      <Text size="sm" c="dimmed" mt="xs">
        {t('limits.default', { value: wordsOf(config.default) })}
      </Text>
      <Updated config={config} />
    </form>
  )
}
