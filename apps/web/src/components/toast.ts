import { notifications } from '@mantine/notifications'
import i18next from 'i18next'
import { wordsOf } from './states'

const closeButtonProps = () => ({ 'aria-label': i18next.t('close') })

/** Says that something was done. */
export function toastDone(message: string): void {
  notifications.show({ message, color: 'green', autoClose: 5_000, closeButtonProps: closeButtonProps() })
}

/** Says that something was not done, and why; stays until it is closed. */
export function toastProblem(error: unknown, title: string): void {
  notifications.show({
    title,
    message: wordsOf(error, i18next.t('error.unknown')),
    color: 'red',
    autoClose: false,
    closeButtonProps: closeButtonProps(),
  })
}
