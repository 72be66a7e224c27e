import { Alert, Button, Group, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { toastProblem } from '../../../components/toast'
import type { Editor } from './use-editor'

/** Two people saved: nothing of either is lost before somebody decided. */
export function ConflictNotice({ editor }: { readonly editor: Editor }) {
  const { t } = useTranslation('automations')
  const or = (act: () => Promise<void>) => () => act().catch((error) => toastProblem(error, t('conflict.failed')))
  return (
    <Alert
      role="alert"
      color="orange"
      variant="light"
      mb="md"
      icon={<IconAlertTriangle aria-hidden />}
      title={t('conflict.title')}
    >
      <Text size="sm" mb="xs">
        {t('conflict.text')}
      </Text>
      <Group gap="xs">
        <Button size="xs" variant="default" onClick={or(editor.keepMine)}>
          {t('conflict.mine')}
        </Button>
        <Button size="xs" variant="default" onClick={or(editor.takeTheirs)}>
          {t('conflict.theirs')}
        </Button>
      </Group>
    </Alert>
  )
}
