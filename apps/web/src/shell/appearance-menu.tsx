import { ActionIcon, type MantineColorScheme, Menu, useMantineColorScheme } from '@mantine/core'
import { IconCheck, IconDeviceDesktop, IconMoon, IconSun } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'

const SCHEMES = { auto: IconDeviceDesktop, light: IconSun, dark: IconMoon } as const satisfies Record<
  MantineColorScheme,
  unknown
>
const ORDER = ['auto', 'light', 'dark'] as const

/** Light, dark, or as the system says. Remembered by this browser. */
export function AppearanceMenu() {
  const { t } = useTranslation()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const Current = SCHEMES[colorScheme]
  return (
    <Menu position="bottom-end" withinPortal={false}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={t('appearance.label')}>
          <Current size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown aria-label={t('appearance.label')}>
        {ORDER.map((scheme) => {
          const Icon = SCHEMES[scheme]
          return (
            <Menu.Item
              key={scheme}
              aria-current={scheme === colorScheme ? 'true' : undefined}
              leftSection={<Icon size={16} aria-hidden />}
              rightSection={scheme === colorScheme ? <IconCheck size={16} aria-hidden /> : undefined}
              onClick={() => setColorScheme(scheme)}
            >
              {t(`appearance.${scheme}`)}
            </Menu.Item>
          )
        })}
      </Menu.Dropdown>
    </Menu>
  )
}
