import { endpoints } from './endpoints'
import { createOpenApiDocument } from './openapi'

// Prints the document that is committed as docs/openapi.json.
process.stdout.write(`${JSON.stringify(createOpenApiDocument(endpoints), null, 2)}\n`)
