import { createClient } from '@stowage/client/node'
import type { UploadArguments } from './upload-process.ts'

/* Uploads one file and prints the ID of the asset. */
const { baseUrl, path, stateFolder }: UploadArguments = JSON.parse(process.argv[2] ?? '{}')
const { id } = await createClient({ baseUrl, stateFolder }).upload(path)
console.log(id)
