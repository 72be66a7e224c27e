import settings from '../../i18n/en/settings.json'
import { addTexts } from '../../i18n/texts'

addTexts('settings', settings)
