import i18next from 'i18next'
import { initReactI18next } from 'react-i18next'
import automations from './en/automations.json'
import history from './en/history.json'
import operations from './en/operations.json'
import rules from './en/rules.json'
import runs from './en/runs.json'
import settings from './en/settings.json'
import shell from './en/shell.json'

/** One catalogue for each area; a further language is a further folder beside `en`. */
const english = { shell, rules, history, automations, runs, operations, settings } as const

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'shell'
    resources: typeof english
  }
}

/** The texts are part of the first load: no view ever shows a key. */
export function startTexts(): void {
  void i18next.use(initReactI18next).init({
    lng: 'en',
    fallbackLng: 'en',
    defaultNS: 'shell',
    resources: { en: english },
    // React escapes what it renders.
    interpolation: { escapeValue: false },
    initAsync: false,
  })
}
