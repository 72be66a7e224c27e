import automations from '../../i18n/en/automations.json'
import runs from '../../i18n/en/runs.json'
import { addTexts } from '../../i18n/texts'

addTexts('automations', automations)
addTexts('runs', runs)
