import '@mantine/core/styles.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { styleNonce } from './style-nonce.ts'

// What holds the page still behind a dialog looks for the nonce here.
Object.assign(globalThis, { __webpack_nonce__: styleNonce() })

const root = document.getElementById('app')
if (root !== null)
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  )
