export type Cleanup = {
  /** Registers what has to be undone however the run ends; the returned function does it earlier. */
  add(undo: () => Promise<void>): () => Promise<void>
  /** Undoes everything that is left, the latest first; a second call waits for the first. */
  run(): Promise<void>
}

export function createCleanup(): Cleanup {
  const left = new Set<() => Promise<void>>()
  let running: Promise<void> | undefined

  async function undoAll(): Promise<void> {
    for (let undo = [...left].at(-1); undo; undo = [...left].at(-1)) {
      await undo().catch((error: Error) => process.stderr.write(`${error.message}\n`))
    }
  }
  return {
    add(undo) {
      const once = async () => {
        if (left.delete(once)) await undo()
      }
      left.add(once)
      // What was being started when the signal came is stopped as soon as it is there.
      if (running) running = running.then(undoAll)
      return once
    },
    // A signal and the failure that it causes both come here; neither may exit before all is undone.
    run() {
      running ??= undoAll()
      return running
    },
  }
}

/** Ctrl-C and SIGTERM leave no process and no folder behind either. */
export function cleanUpOnSignals(cleanup: Cleanup): void {
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    process.once(signal, () => {
      process.exitCode = code
      process.stderr.write(`\n${signal}: stopping …\n`)
      void cleanup.run().finally(() => process.exit())
    })
  }
}
