import './texts'
import { Button, Center } from '@mantine/core'
import { useTranslation } from 'react-i18next'

/** The way to older entries of a list; gone where there are none. */
export function LoadMore({
  query,
}: {
  readonly query: {
    readonly hasNextPage: boolean
    readonly isFetchingNextPage: boolean
    readonly fetchNextPage: () => unknown
  }
}) {
  const { t } = useTranslation('operations')
  if (!query.hasNextPage) return null
  return (
    <Center mt="md">
      <Button variant="default" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
        {t('more')}
      </Button>
    </Center>
  )
}
