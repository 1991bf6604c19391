import '@mantine/core/styles.css'
import './controls.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { styleNonce } from './theme.ts'

// The library that locks scrolling behind a dialog reads the nonce from here.
Object.assign(globalThis, { __webpack_nonce__: styleNonce() })

const root = document.getElementById('app')
if (root !== null)
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  )
