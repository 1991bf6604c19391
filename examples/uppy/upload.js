import '@uppy/core/css/style.min.css'
import '@uppy/dashboard/css/style.min.css'
import './page.css'
import { stowage } from '@stowage/client/uppy'
import AwsS3 from '@uppy/aws-s3'
import Uppy from '@uppy/core'
import Dashboard from '@uppy/dashboard'
import GoldenRetriever from '@uppy/golden-retriever'
import { getConnection } from '../get-connection.js'

try {
  const { baseUrl, apiKey } = await getConnection()
  new Uppy()
    .use(Dashboard, { target: '#dashboard', inline: true, width: '100%' })
    .use(AwsS3, stowage({ baseUrl, apiKey }))
    .use(GoldenRetriever) // resumes after a reload
} catch (error) {
  document.getElementById('dashboard').textContent = error.message
}
