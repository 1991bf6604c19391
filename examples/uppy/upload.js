import '@uppy/core/css/style.min.css'
import '@uppy/dashboard/css/style.min.css'
import './page.css'
import { stowage } from '@stowage/client/uppy'
import AwsS3 from '@uppy/aws-s3'
import Uppy from '@uppy/core'
import Dashboard from '@uppy/dashboard'
import GoldenRetriever from '@uppy/golden-retriever'

const form = document.getElementById('connect')

// Saved for this tab, so that uploads resume after a reload.
const saved = JSON.parse(sessionStorage.getItem('connection') ?? 'null')
if (saved) start(saved)

form.addEventListener('submit', (event) => {
  event.preventDefault()
  const { service, key } = Object.fromEntries(new FormData(form))
  sessionStorage.setItem('connection', JSON.stringify({ baseUrl: service, apiKey: key }))
  start({ baseUrl: service, apiKey: key })
})

function start({ baseUrl, apiKey }) {
  form.hidden = true
  new Uppy()
    .use(Dashboard, { target: '#dashboard', inline: true, width: '100%' })
    .use(AwsS3, stowage({ baseUrl, apiKey }))
    .use(GoldenRetriever) // resumes after a reload
}
