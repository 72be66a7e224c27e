import { Button, Menu, Text } from '@mantine/core'
import { IconChevronDown, IconLogout } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { sessionQuery, signOut, useSession } from '../api/session'
import { toastProblem } from '../components/toast'

/** Who is signed in, what that allows, and the way out. */
export function PersonMenu() {
  const { t } = useTranslation()
  const { name, role } = useSession()
  const router = useRouter()
  const queryClient = useQueryClient()

  async function leave() {
    try {
      await signOut()
    } catch (error) {
      toastProblem(error, t('person.signOutFailed'))
      return
    }
    queryClient.clear()
    queryClient.setQueryData(sessionQuery.queryKey, null)
    sessionStorage.clear()
    await router.navigate({ to: '/sign-in', search: {} })
  }

  return (
    <Menu position="bottom-end" withinPortal={false}>
      <Menu.Target>
        <Button
          variant="subtle"
          color="gray"
          size="compact-sm"
          fw={500}
          rightSection={<IconChevronDown size={14} aria-hidden />}
        >
          {role === 'admin' ? t('person.admin') : name}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <Text size="xs" maw={240}>
            {t(`person.${role}Role`)}
          </Text>
        </Menu.Label>
        <Menu.Item leftSection={<IconLogout size={16} aria-hidden />} onClick={() => void leave()}>
          {t('person.signOut')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
