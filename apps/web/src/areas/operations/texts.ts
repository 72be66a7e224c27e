import operations from '../../i18n/en/operations.json'
import { addTexts } from '../../i18n/texts'

addTexts('operations', operations)
