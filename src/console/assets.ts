import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import express, { Router } from 'express'

const OWN = fileURLToPath(new URL('./assets', import.meta.url))
const UPLOT = join(dirname(createRequire(import.meta.url).resolve('uplot/package.json')), 'dist')
const OPTIONS = { index: false, maxAge: '1h', dotfiles: 'ignore' } as const

/** Everything that a page loads; there is no build step. */
export function createAssets(): Router {
  const router = Router()
  router.use('/console/assets', express.static(OWN, OPTIONS))
  for (const file of ['uPlot.min.css', 'uPlot.iife.min.js'])
    router.get(`/console/assets/${file}`, (_request, response) => response.sendFile(file, { root: UPLOT, maxAge: '1d' }))
  return router
}
