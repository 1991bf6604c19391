import '@mantine/core/styles.css'
import './controls.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { openLanguage } from './i18n/language.ts'
import { styleNonce } from './theme.ts'

// The library that locks scrolling behind a dialog reads the nonce from here.
Object.assign(globalThis, { __webpack_nonce__: styleNonce() })

function render(): void {
  const root = document.getElementById('app')
  if (root === null) return
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  )
}

// Not `await`: other scripts import this one, and would wait for each other.
void openLanguage().then(render)
