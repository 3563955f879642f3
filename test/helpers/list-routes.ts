import type { Router } from 'express'

/** Every route whose path begins so, in the form of OpenAPI: `get /api/events/{id}`. */
export function listRoutes(router: Router, prefix: string): string[] {
  return router.stack.flatMap(({ route, handle }) => {
    if (!route) return 'stack' in handle ? listRoutes(handle as unknown as Router, prefix) : []
    const { path, methods } = route as unknown as { path: string; methods: Record<string, boolean> }
    return path.startsWith(prefix) ? Object.keys(methods).map((method) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`) : []
  })
}
