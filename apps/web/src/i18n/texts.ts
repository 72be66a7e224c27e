import i18next from 'i18next'
import { initReactI18next } from 'react-i18next'
import history from './en/history.json'
import rules from './en/rules.json'
import shell from './en/shell.json'

/** One catalogue for each area; a further language is a further folder beside `en`. */
const english = { shell, rules, history } as const

/** Those of areas that few open come with their views: `addTexts`. */
interface LaterTexts {
  readonly automations: typeof import('./en/automations.json')
  readonly runs: typeof import('./en/runs.json')
  readonly operations: typeof import('./en/operations.json')
  readonly settings: typeof import('./en/settings.json')
}

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'shell'
    resources: typeof english & LaterTexts
  }
}

/** For the top of a module that every view of the area loads: so none ever shows a key. */
export function addTexts<Area extends keyof LaterTexts>(area: Area, texts: LaterTexts[Area]): void {
  i18next.addResourceBundle('en', area, texts)
}

/** The texts are part of the first load. */
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
