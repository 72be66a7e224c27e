import '@mantine/core/styles.layer.css'
import '@mantine/notifications/styles.layer.css'
import './theme/colours.css'
import './theme/base.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app/app'
import { startTexts } from './i18n/texts'

startTexts()
const root = document.getElementById('root')
if (root !== null)
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  )
