import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { Router } from 'express'
import { createOpenApiDocument } from './openapi.ts'
import type { OperationContract } from './operation.ts'

const ASSETS = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))

// The package has a page of its own, which would load an example from elsewhere.
const FILES = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png']

// Everything comes from us: no page of ours loads anything from elsewhere.
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** `GET /openapi.json`, and `GET /docs` to read and try it. */
export function createDocsRoutes(contracts: OperationContract[]): Router {
  const document = createOpenApiDocument(contracts)
  const router = Router()
  router.get('/openapi.json', (_request, response) => void response.json(document))
  router.get('/docs', (_request, response) => {
    response.set('Content-Security-Policy', CONTENT_SECURITY_POLICY).type('html').send(PAGE)
  })
  router.get('/docs/start.js', (_request, response) => void response.type('js').send(START))
  for (const file of FILES)
    router.get(`/docs/assets/${file}`, (_request, response) => response.sendFile(file, { root: ASSETS, maxAge: '1d' }))
  return router
}

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sluice API</title>
<link rel="icon" href="/docs/assets/favicon-32x32.png">
<link rel="stylesheet" href="/docs/assets/swagger-ui.css">
</head>
<body>
<main id="docs"></main>
<noscript>This page needs JavaScript. The document itself is at <a href="/openapi.json">/openapi.json</a>.</noscript>
<script src="/docs/assets/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`

const START = `SwaggerUIBundle({ url: '/openapi.json', dom_id: '#docs', deepLinking: true, tryItOutEnabled: true, validatorUrl: null })`
